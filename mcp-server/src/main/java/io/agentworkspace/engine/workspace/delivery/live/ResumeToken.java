package io.agentworkspace.engine.workspace.delivery.live;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The id of an event, from which a client can resume on any replica, unless the data were restored since.
 *
 * @param epoch that of the data: another after each restore of a backup, and on each server
 * @param horizon the position of a read that misses nothing
 * @param ordinal the last event that was sent
 * @param seconds when it was sent, in seconds since 1970
 */
record ResumeToken(long epoch, long horizon, long ordinal, long seconds) {
    /**
     * The age beyond which a stream begins again. Nobody may have listened in the meantime, and then nothing was
     * logged: a listener's entry is valid for two minutes and is renewed every half minute.
     */
    private static final Duration VALID = Duration.ofSeconds(80);

    private static final Pattern FORM = Pattern.compile("(\\d{1,18})-(\\d{1,18})-(\\d{1,18})-(\\d{1,12})");

    static ResumeToken of(long epoch, long horizon, long ordinal, Instant now) {
        return new ResumeToken(epoch, horizon, ordinal, now.getEpochSecond());
    }

    /** Parses the token in a header; empty if it cannot be resumed from. */
    static Optional<ResumeToken> parse(@Nullable String text, Instant now) {
        var found = FORM.matcher(text == null ? "" : text);
        return found.matches()
                ? Optional.of(new ResumeToken(
                                Long.parseLong(found.group(1)),
                                Long.parseLong(found.group(2)),
                                Long.parseLong(found.group(3)),
                                Long.parseLong(found.group(4))))
                        .filter(token -> Math.abs(now.getEpochSecond() - token.seconds) <= VALID.toSeconds())
                : Optional.empty();
    }

    String text() {
        return "%d-%d-%d-%d".formatted(epoch, horizon, ordinal, seconds);
    }
}
