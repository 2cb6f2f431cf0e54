package io.agentworkspace.engine.integrations.upstreams.client;

import java.time.Duration;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/** What has been received of the answer to one request, over all the streams that carried it. */
final class Reception {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(30);

    /** Whether there is an answer to wait for. A notification has none. */
    final boolean expectsAnswer;

    volatile int status;
    volatile HttpFields headers = HttpFields.EMPTY;
    private volatile Duration pause = PAUSE;
    private volatile @Nullable String lastId;
    private volatile long bytes;

    Reception(boolean expectsAnswer) {
        this.expectsAnswer = expectsAnswer;
    }

    /** Returns the place where the server can go on; null if it named none. */
    @Nullable
    String lastId() {
        return lastId;
    }

    /** An empty id takes the place back. One that no header can carry is none. */
    void setLastId(String id) {
        lastId = id.isEmpty() || id.length() > 1_000 || !id.chars().allMatch(c -> c >= ' ' && c < 0x7f) ? null : id;
    }

    /** Returns how long to wait before the connection is made again. */
    Duration pause() {
        return pause;
    }

    void setPause(Duration duration) {
        var atLeast = duration.compareTo(SHORTEST) < 0 ? SHORTEST : duration;
        pause = atLeast.compareTo(LONGEST) > 0 ? LONGEST : atLeast;
    }

    /** Counts bytes, and returns how many there are in all. */
    synchronized long add(int more) {
        bytes += more;
        return bytes;
    }
}
