import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** The network between engine and database is slow, cut, or passes data in one direction only. */
final class Network implements Bench.Benchmark {
    @Override
    public String words() {
        return "the network to the database is slow, loses packets, is cut, or goes one way only [--delay 100 --loss 0 --seconds 10 --writers 8]";
    }

    /** Milliseconds until a lost packet is sent again: at least 200 with Linux, and more with the distance. */
    private static final int RETRANSMISSION = 400;

    /** A connection to the database that a drill disturbs. */
    private static final class Line implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final List<Socket> open = new ArrayList<>();
        private final int target;
        private volatile int delay;
        /** In a hundred, in each direction. */
        private volatile int loss;
        private volatile boolean cut;
        private volatile boolean isSilentBack;

        Line(int target) throws IOException {
            this.target = target;
            Thread.ofVirtual().start(this::accept);
        }

        int port() {
            return server.getLocalPort();
        }

        private void accept() {
            while (!server.isClosed()) {
                try {
                    var near = server.accept();
                    if (cut) {
                        near.close();
                        continue;
                    }
                    var far = new Socket(InetAddress.getLoopbackAddress(), target);
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
                    if (!isBack || !isSilentBack) {
                        to.getOutputStream().write(buffer, 0, read);
                    }
                }
            } catch (IOException | InterruptedException e) {
                // The connection ends.
            }
        }

        void cut() throws IOException {
            cut = true;
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

    @Override
    public void run(Bench.Options options) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var millis = 1_000L * options.number("seconds", 10);
        try (var servers = Servers.alone();
                var line = new Line(servers.port())) {
            var url = servers.url().replace(":" + servers.port() + "/", ":" + line.port() + "/");
            try (var engine = Engine.startIn(Servers.engine(url, key))) {
                var writes = new Writes(List.of(engine.url()), key, options.number("writers", 8));
                writes.awaitMore(300);
                writes.mark();
                line.delay = options.number("delay", 100);
                line.loss = options.number("loss", 0);
                Thread.sleep(millis);
                line.delay = 0;
                line.loss = 0;
                writes.awaitMore(100);
                writes.report("answers %d ms later, and %d of 100 packets lost, for %d s"
                        .formatted(options.number("delay", 100), options.number("loss", 0), millis / 1_000));
                writes.limit(0, 10);
                writes.mark();
                line.cut();
                Thread.sleep(millis);
                line.cut = false;
                writes.awaitMore(100);
                writes.report("cut for %d s".formatted(millis / 1_000));
                writes.limit(400, millis / 1e3 + 10);
                writes.mark();
                line.isSilentBack = true; // Statements arrive, and their results are lost.
                Thread.sleep(millis);
                line.isSilentBack = false;
                writes.awaitMore(100);
                writes.close();
                writes.report("one way only for %d s".formatted(millis / 1_000));
                writes.check(servers.url());
                writes.limit(800, millis / 1e3 + 15);
            }
        }
    }
}
