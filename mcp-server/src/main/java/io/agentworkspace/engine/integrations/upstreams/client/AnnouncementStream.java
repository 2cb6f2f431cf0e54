package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/** A stream of a server's announcements. It is opened again when it ends, after pauses that grow while it ends soon. */
final class AnnouncementStream implements AutoCloseable {
    /** How long one request for it may take. */
    static final Duration LIFE = Duration.ofHours(1);

    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final Thread worker;

    /** Opens a stream and reads it to its end. */
    @FunctionalInterface
    interface Opening {
        /**
         * @param again whether there was one before, so that something may have been missed
         * @return whether it is worth to open it again
         */
        boolean read(boolean again) throws InterruptedException;
    }

    /** @param places there is no stream while all are taken */
    AnnouncementStream(Semaphore places, Opening opening) {
        worker = Thread.startVirtualThread(() -> read(places, opening));
    }

    /** Returns whether the server may have the stream later. A refused credential may be renewed. */
    static boolean mayGoOn(UpstreamFailure failure) {
        return failure.kind() == Kind.UNREACHABLE
                || failure.kind() == Kind.PROTOCOL
                || failure.kind() == Kind.CREDENTIAL;
    }

    private static void read(Semaphore places, Opening opening) {
        var pause = FIRST;
        var again = false;
        try {
            while (true) {
                var startNanos = System.nanoTime();
                if (places.tryAcquire()) {
                    try {
                        if (!opening.read(again)) {
                            return;
                        }
                    } finally {
                        places.release();
                    }
                    again = true;
                }
                var lasted = System.nanoTime() - startNanos > LONGEST.toNanos();
                pause = lasted ? FIRST : pause.multipliedBy(2);
                pause = pause.compareTo(LONGEST) < 0 ? pause : LONGEST;
                Thread.sleep(pause);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // It is closed.
        }
    }

    @Override
    public void close() {
        worker.interrupt();
    }
}
