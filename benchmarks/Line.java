import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A relay on loopback to a port, which a drill slows down, cuts or silences as a network does. */
final class Line implements AutoCloseable {
    /** Milliseconds until a lost packet is sent again: at least 200 with Linux, and more with the distance. */
    private static final int RETRANSMISSION = 400;

    private final ServerSocket server;
    private final List<Socket> open = new ArrayList<>();
    private final int target;
    private volatile int delay;
    /** In a hundred, in each direction. */
    private volatile int loss;

    private volatile boolean cut;
    private volatile boolean isSilentThere;
    private volatile boolean isSilentBack;

    Line(int port, int target) throws IOException {
        this.server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        this.target = target;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** @param millis how much later answers arrive */
    void delay(int millis) {
        delay = millis;
    }

    /** @param percent how many packets must be sent again */
    void loss(int percent) {
        loss = percent;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var near = server.accept();
                if (cut) {
                    near.close();
                    continue;
                }
                var far = reach(near);
                far.setTcpNoDelay(true);
                near.setTcpNoDelay(true);
                synchronized (open) {
                    open.add(near);
                    open.add(far);
                }
                Thread.ofVirtual().start(() -> pass(near, far, false));
                Thread.ofVirtual().start(() -> pass(far, near, true));
            } catch (IOException e) {
                // The drill is over, or the connection is lost.
            }
        }
    }

    private Socket reach(Socket near) throws IOException {
        try {
            return new Socket(InetAddress.getLoopbackAddress(), target);
        } catch (IOException e) {
            near.close();
            throw e;
        }
    }

    private void pass(Socket from, Socket to, boolean isBack) {
        var buffer = new byte[65_536];
        try (from; to) {
            for (var read = from.getInputStream().read(buffer); read >= 0; read = from.getInputStream().read(buffer)) {
                if (isBack && delay > 0) {
                    Thread.sleep(delay);
                }
                if (ThreadLocalRandom.current().nextInt(100) < loss) {
                    Thread.sleep(RETRANSMISSION); // TCP sends what was lost again after a while: nothing is lost to a program.
                }
                if (isBack ? !isSilentBack : !isSilentThere) {
                    to.getOutputStream().write(buffer, 0, read);
                }
            }
        } catch (IOException | InterruptedException e) {
            // The connection ends.
        }
    }

    /** Closes all connections, and each new one. */
    void cut() throws IOException {
        cut = true;
        closeAll();
    }

    /** Passes nothing on in either direction; connections stay open, and new ones get no answer. */
    void silence() {
        isSilentThere = true;
        isSilentBack = true;
    }

    /** Passes nothing back, or does again. */
    void silenceBack(boolean isSilent) {
        isSilentBack = isSilent;
    }

    /** Serves again. What was open while it was silent has lost bytes, and is closed. */
    void mend() throws IOException {
        if (isSilentThere) {
            closeAll();
        }
        cut = false;
        isSilentThere = false;
        isSilentBack = false;
    }

    private void closeAll() throws IOException {
        synchronized (open) {
            for (var socket : open) {
                socket.close();
            }
            open.clear();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }
}
