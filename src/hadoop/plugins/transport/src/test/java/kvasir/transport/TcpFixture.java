package kvasir.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;

/** Talks to servers and clients over TCP by hand. */
abstract class TcpFixture extends TransportFixture {
  TcpFixture() {
    super(new TcpTransport());
  }

  /** Greets a server as a client does; returns what was said. */
  static byte[][] greet(Socket socket, DataOutputStream out, String job, byte[] secret)
      throws IOException {
    byte[] client = Proof.nonce();
    byte[] hello = new Wire.Frame(Wire.HELLO).put(Wire.MAGIC).put(job).put(client).made().array();
    out.write(hello);
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] nonce = frame(in);
    byte[] server = Arrays.copyOfRange(nonce, 1, nonce.length);
    byte[] mine = Proof.of(secret, Proof.Role.CLIENT, job, client, server);
    byte[] proof = new Wire.Frame(Wire.PROOF).put(mine).made().array();
    out.write(proof);
    byte[] answer = frame(in);
    byte[] theirs = Proof.of(secret, Proof.Role.SERVER, job, client, server);
    assertArrayEquals(theirs, Arrays.copyOfRange(answer, 1, answer.length));
    return new byte[][] {hello, proof};
  }

  /** Greets a client as a server does, and reads its first question. */
  static void accept(Socket socket) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] hello = frame(in);
    byte[] client = Arrays.copyOfRange(hello, hello.length - 32, hello.length);
    byte[] server = Proof.nonce();
    socket.getOutputStream().write(new Wire.Frame(Wire.NONCE).put(server).made().array());
    frame(in);
    byte[] proof = Proof.of(SECRET, Proof.Role.SERVER, JOB, client, server);
    socket.getOutputStream().write(new Wire.Frame(Wire.PROOF).put(proof).made().array());
    frame(in);
  }

  /** Returns kind and content of a frame. */
  static byte[] frame(DataInputStream in) throws IOException {
    byte[] found = new byte[in.readInt()];
    in.readFully(found);
    return found;
  }

  static byte[] ask(int id, MapOutput output, long offset, int most) {
    return new Wire.Frame(Wire.FETCH)
        .put(id)
        .put(output.reduce())
        .put(offset)
        .put(most)
        .put(output.attempt())
        .made()
        .array();
  }

  static void assertEnds(Socket socket) {
    try {
      assertEquals(-1, socket.getInputStream().read());
    } catch (IOException e) {
      // Reset instead of ended.
    }
  }
}
