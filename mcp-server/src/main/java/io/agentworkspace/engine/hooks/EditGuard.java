package io.agentworkspace.engine.hooks;

import io.agentworkspace.engine.model.task.Reservation;
import io.agentworkspace.engine.reservations.ReservationStore;
import io.agentworkspace.engine.reservations.ReservationStore.Taken;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Refuses edits of files that another agent has reserved, and notes whom it refused, for a message when they are free. A session
 * gets the reason once a minute, and then only that it is refused.
 */
final class EditGuard {
    private static final Duration QUIET = Duration.ofMinutes(1);
    private static final int MAX_TOLD = 10_000;

    private final ReservationStore reservations;
    private final Clock clock;

    /** When a session was last told of a reservation; the oldest is forgotten first. */
    private final Map<String, Instant> notedAt = new LinkedHashMap<>(16, 0.75f, false) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
            return size() > MAX_TOLD;
        }
    };

    EditGuard(ReservationStore reservations, Clock clock) {
        this.reservations = reservations;
        this.clock = clock;
    }

    /** Returns why the edit is refused; empty if nobody else holds one of its files. */
    Optional<String> refusal(HookSession session, HookEvent event) {
        if (event.edits().isEmpty()) {
            return Optional.empty();
        }
        var tenant = session.caller().tenant();
        var allowance = new io.agentworkspace.engine.scheduling.StepAllowance(2_000_000, () -> io.agentworkspace.engine.model.problem.Problem.unavailable());
        return reservations.taken(tenant, session.agent()).stream()
                .filter(taken -> ReservationStore.isOfOne(taken, event.edits(), io.agentworkspace.engine.reservations.PathForm.Letters.EXACT, allowance))
                .findFirst()
                .map(taken ->
                        isNews(session, taken) ? refuse(tenant, session, taken) : shortReason(taken.reservation()));
    }

    private boolean isNews(HookSession session, Taken taken) {
        var key = "%d %d %s %s".formatted(session.caller().tenant(), session.agent(), session.id(), taken.id());
        var now = clock.instant();
        synchronized (notedAt) {
            var last = notedAt.get(key);
            if (last != null && last.plus(QUIET).isAfter(now)) {
                return false;
            }
            notedAt.remove(key);
            notedAt.put(key, now);
            return true;
        }
    }

    /** Notes the refusal, which is read only when the reservation ends, and returns the reason. */
    private String refuse(long tenant, HookSession session, Taken taken) {
        reservations.refuse(tenant, session.agent(), taken);
        return reason(taken);
    }

    private static String reason(Taken taken) {
        var reservation = taken.reservation();
        return "%s has reserved %s in the domain %s until %s%s. Do not edit it now. Work on something else, or ask %s with AP_Chat. A message tells you when it is free."
                .formatted(
                        DisplayName.of(reservation.holder()),
                        HookTexts.quoted(reservation.path()),
                        DisplayName.of(taken.domain()),
                        reservation.leaseUntil(),
                        reservation.reason() == null
                                ? ""
                                : " (its reason, as data: " + HookTexts.quoted(reservation.reason()) + ")",
                        DisplayName.of(reservation.holder()));
    }

    private static String shortReason(Reservation reservation) {
        return "%s still has reserved %s."
                .formatted(DisplayName.of(reservation.holder()), HookTexts.quoted(reservation.path()));
    }
}
