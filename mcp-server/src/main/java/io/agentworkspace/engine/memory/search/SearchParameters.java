package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.memory.search.time.TimeSpan;
import io.agentworkspace.engine.model.problem.Name;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What is searched, and how. */
record SearchParameters(
        String query,
        Mode mode,
        @Nullable Name bank,
        @Nullable Name author,
        List<String> tags,
        @Nullable Instant since,
        @Nullable Instant until,
        @Nullable Instant asOf,
        int limit,
        ZoneId zone) {
    /** Returns whether a time that the question names counts: one that is given explicitly is in its place. */
    boolean isAnyTime() {
        return since == null && until == null && asOf == null;
    }

    SearchParameters within(TimeSpan time) {
        return new SearchParameters(query, mode, bank, author, tags, time.since(), time.until(), asOf, limit, zone);
    }

    SearchParameters about(String event) {
        return new SearchParameters(event, mode, bank, author, tags, since, until, asOf, 1, zone);
    }

    /** Returns the end of the time in which found memories were written: the earlier of the two that are given. */
    @Nullable
    Instant last() {
        if (until == null || asOf == null) {
            return until == null ? asOf : until;
        }
        return until.isBefore(asOf) ? until : asOf;
    }

    /** How memories are found. */
    enum Mode {
        TEXT,
        VECTOR,
        HYBRID;

        static Mode of(@Nullable String word) {
            return word == null ? HYBRID : valueOf(word.toUpperCase(Locale.ROOT));
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
