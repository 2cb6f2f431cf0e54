package io.agentworkspace.engine.kernel.db.embedded;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps one server running on one port: starts it, and restarts it whenever it ends unexpectedly. */
final class ServerKeeper {
    private static final Logger log = LoggerFactory.getLogger(ServerKeeper.class);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final Runnable clear;
    private final IntFunction<Postmaster> launch;
    private final CompletableFuture<Integer> port = new CompletableFuture<>();
    // The server ends with the thread that started it. Therefore this thread starts it, and lives as long as the
    // server should.
    private final Thread thread =
            Thread.ofPlatform().daemon().name("postgres-keeper").unstarted(this::keep);
    private Duration pause = Duration.ZERO;
    private @Nullable Postmaster current;
    private boolean closing;

    /**
     * @param clear removes what is left of an earlier server
     * @param launch starts a server on the given port
     */
    ServerKeeper(Runnable clear, IntFunction<Postmaster> launch) {
        this.clear = clear;
        this.launch = launch;
    }

    /** Returns the port when the server accepts connections. */
    int start() {
        thread.start();
        try {
            return port.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof PostgresFailure failure ? failure : e;
        }
    }

    void stop() {
        Postmaster last;
        synchronized (this) {
            closing = true;
            last = current;
        }
        if (last != null) {
            last.stop();
        }
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void keep() {
        try {
            Postmaster server = first();
            while (true) {
                long began = System.nanoTime();
                int code = server.awaitEnd();
                if (isClosing()) {
                    return;
                }
                log.error("PostgreSQL ended unexpectedly with code {}; restarting it", code);
                if (System.nanoTime() - began > LONGEST_PAUSE.toNanos()) {
                    pause = Duration.ZERO;
                }
                server = again(port.join());
            }
        } catch (InterruptedException e) {
            log.debug("PostgreSQL is no longer watched");
        } catch (RuntimeException e) {
            port.completeExceptionally(e);
        }
    }

    /** Starts the server the first time. If another program takes the free port first, another port is tried. */
    private Postmaster first() throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            int candidate = LoopbackPort.free();
            try {
                Postmaster server = launched(candidate);
                port.complete(candidate);
                return server;
            } catch (PostgresFailure e) {
                if (attempt == 5 || LoopbackPort.isFree(candidate)) {
                    throw e;
                }
            }
        }
    }

    /** Restarts the server until it succeeds, first at once and then with growing pauses. */
    private Postmaster again(int samePort) throws InterruptedException {
        while (true) {
            Thread.sleep(pause);
            pause = longer(pause);
            try {
                Postmaster server = launched(samePort);
                log.info("PostgreSQL is running again, process {}", server.pid());
                return server;
            } catch (RuntimeException e) {
                if (isClosing()) {
                    throw new InterruptedException("closing");
                }
                log.error("PostgreSQL did not restart; next try in {} ms: {}", pause.toMillis(), e.getMessage());
            }
        }
    }

    private Postmaster launched(int onPort) throws InterruptedException {
        clear.run();
        Postmaster server;
        synchronized (this) {
            if (closing) {
                throw new InterruptedException("closing");
            }
            server = launch.apply(onPort);
            current = server;
        }
        server.awaitReady();
        return server;
    }

    private synchronized boolean isClosing() {
        return closing;
    }

    private static Duration longer(Duration pause) {
        Duration doubled = pause.isZero() ? SHORTEST_PAUSE : pause.multipliedBy(2);
        return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }
}
