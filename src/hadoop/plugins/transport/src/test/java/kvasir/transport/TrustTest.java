package kvasir.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class TrustTest extends TcpFixture {
  @Test
  void strangersGetNothing() throws Exception {
    stored.put(OUTPUT, random(10, 4), 0);
    try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
      stranger.getOutputStream().write(ask(0, OUTPUT, 0, 9));
      assertEquals(-1, stranger.getInputStream().read(), "no greeting");
    }
    conf.setInt(Settings.TIMEOUT_MS, 100);
    try (TcpServer impatient = new TcpServer(0, jobs, stored, new Settings(conf));
        Socket silent = new Socket(InetAddress.getLoopbackAddress(), impatient.port())) {
      assertEquals(-1, silent.getInputStream().read(), "no word");
    }
    try (Socket loud = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
      loud.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertEquals(-1, loud.getInputStream().read(), "another protocol");
    }
  }

  @Test
  void recordedConnectionIsOfNoUse() throws Exception {
    stored.put(OUTPUT, random(10, 5), 0);
    byte[] hello;
    byte[] proof;
    try (Socket first = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
      DataOutputStream out = new DataOutputStream(first.getOutputStream());
      byte[][] said = greet(first, out, JOB, SECRET);
      hello = said[0];
      proof = said[1];
    }
    try (Socket again = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
      again.getOutputStream().write(hello);
      byte[] nonce = new byte[Wire.HEAD_BYTES + Proof.NONCE_BYTES];
      new DataInputStream(again.getInputStream()).readFully(nonce);
      again.getOutputStream().write(proof);
      again.getOutputStream().write(ask(0, OUTPUT, 0, 9));
      assertEnds(again);
    }
  }

  @Test
  void serverThatSendsTheProofBackIsNotBelieved() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Piece> fetch =
          client().fetch(at(listener.getLocalPort()), OUTPUT, 0, ByteBuffer.allocate(9));
      try (Socket peer = listener.accept()) {
        DataInputStream in = new DataInputStream(peer.getInputStream());
        frame(in);
        peer.getOutputStream().write(new Wire.Frame(Wire.NONCE).put(Proof.nonce()).made().array());
        byte[] proof = frame(in);
        byte[] back = Arrays.copyOfRange(proof, 1, proof.length);
        peer.getOutputStream().write(new Wire.Frame(Wire.PROOF).put(back).made().array());
        assertTrue(failure(fetch).getMessage().contains("does not know the job's secret"));
        assertEnds(peer);
      }
    }
  }

  @Test
  void truncatedOrWrongAnswersFailTheFetch() throws Exception {
    byte[] data = new Wire.Frame(Wire.DATA).put(0).put(9L).put(9L).made(9).array();
    byte[] cut = Arrays.copyOf(data, data.length + 4);
    byte[] longer = new Wire.Frame(Wire.DATA).put(0).put(9L).put(9L).made(90).array();
    byte[] other = new Wire.Frame(Wire.DATA).put(1).put(9L).put(9L).made(9).array();
    byte[] huge = {0x7f, 0, 0, 0, Wire.REFUSED};
    byte[] negative = {-1, -1, -1, -1, Wire.DATA};
    for (byte[] answer : new byte[][] {cut, longer, other, huge, negative, {}}) {
      try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
        CompletableFuture<Piece> fetch =
            client().fetch(at(listener.getLocalPort()), OUTPUT, 0, ByteBuffer.allocate(9));
        try (Socket peer = listener.accept()) {
          accept(peer);
          peer.getOutputStream().write(answer);
        }
        assertFalse(failure(fetch) instanceof RefusedException);
      }
    }
  }
}
