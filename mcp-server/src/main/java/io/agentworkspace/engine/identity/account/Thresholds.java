package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.identity.account.UsageStore.QuotaNotice;
import io.agentworkspace.engine.identity.account.UsageStore.Raised;
import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.event.EventData;
import io.agentworkspace.engine.model.event.EventType;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The shares of a limit that an event reports when a tenant's count crosses them (contract, Limits). */
final class Thresholds {
    private static final int[] PERCENT = {80, 100};

    private Thresholds() {}

    /**
     * Returns the thresholds that a count has crossed. They belong to the UTC day of the count, or to today if the
     * scope has no days.
     */
    static Stream<QuotaNotice> crossed(Raised raised, Instant now) {
        var limit = raised.plan().limit(raised.scope());
        if (limit.isEmpty()) {
            return Stream.empty();
        }
        var day = raised.day() == null ? LocalDate.ofInstant(now, ZoneOffset.UTC) : raised.day();
        return Arrays.stream(PERCENT)
                .filter(percent -> {
                    var line = Math.ceilDiv(limit.getAsLong() * percent, 100);
                    return raised.before() < line && raised.after() >= line;
                })
                .mapToObj(percent -> notice(raised, percent, limit.getAsLong(), day, now));
    }

    private static QuotaNotice notice(Raised raised, int percent, long limit, LocalDate day, Instant now) {
        var data = new EventData.ThresholdReached(
                raised.scope(), percent, limit, raised.after(), raised.plan(), exhaustion(raised, limit, now));
        var event = Event.of(EventType.QUOTA_THRESHOLD_REACHED, now, data);
        var key = new QuotaNotice.NoticeKey(raised.tenant(), raised.scope(), String.valueOf(percent), limit);
        return new QuotaNotice(key, start(day), event);
    }

    private static Instant start(LocalDate day) {
        return day.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    /** Returns when the day's limit will be reached at the average rate so far; null if it will not, or already is. */
    private static @Nullable Instant exhaustion(Raised raised, long limit, Instant now) {
        if (raised.day() == null || raised.after() >= limit) {
            return null;
        }
        var start = start(raised.day());
        var needed = Duration.between(start, now).toMillis() * ((double) limit / raised.after());
        var at = start.plusMillis((long) needed);
        return at.isBefore(now) || !at.isBefore(start(raised.day().plusDays(1))) ? null : at;
    }
}
