package kvasir.transport;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proves that a side of a connection knows the job's secret.
 *
 * <p>Both sides choose a number that they never use again; a proof is an HMAC over both, the job
 * and the side's role. Who records a connection can therefore use nothing of it for another, and
 * who sends a side its own proof back is not believed.
 */
public final class Proof {
  public static final int NONCE_BYTES = 32;
  public static final int BYTES = 32;
  private static final String ALGORITHM = "HmacSHA256";
  private static final SecureRandom RANDOM = new SecureRandom();

  /** A side of a connection. */
  public enum Role {
    CLIENT,
    SERVER
  }

  private Proof() {}

  /** Returns a number that nobody uses again. */
  public static byte[] nonce() {
    byte[] made = new byte[NONCE_BYTES];
    RANDOM.nextBytes(made);
    return made;
  }

  /** Returns the proof of a side. */
  public static byte[] of(byte[] secret, Role role, String job, byte[] client, byte[] server) {
    try {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      DataOutputStream fields = new DataOutputStream(text);
      fields.writeInt(Wire.MAGIC);
      fields.writeUTF(role.name());
      fields.writeUTF(job);
      fields.write(client);
      fields.write(server);
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      return mac.doFinal(text.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Java has no " + ALGORITHM, e);
    }
  }

  /** Returns whether two proofs are the same, in a time that does not tell where they differ. */
  public static boolean same(byte[] one, byte[] other) {
    return MessageDigest.isEqual(one, other);
  }
}
