package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.workspace.reservations.Reservation;
import io.agentworkspace.engine.workspace.reservations.ReservationStore;
import io.agentworkspace.engine.workspace.reservations.ReservationStore.Taken;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Refuses edits of files that another agent has reserved, and remembers whom to tell when they are free. A session gets the whole
 * reason once a minute, and in between one short sentence. About a command that may write such a file it gets one sentence a minute.
 */
final class EditGuard {
    private static final Duration QUIET = Duration.ofMinutes(1);

    /** How many steps it may take to read an event and to compare its files with all reservations: about a hundredth of a second. */
    private static final long MOST_STEPS = 1_000_000;

    private final ReservationStore reservations;

    /** What a session was told of a reservation. */
    private final Throttle<String> notices;

    EditGuard(ReservationStore reservations, Clock clock) {
        this.reservations = reservations;
        this.notices = new Throttle<>(QUIET, clock);
    }

    /**
     * Returns the answer to an event: a refusal if it certainly writes a file that somebody else holds, a sentence if it may write
     * one, and nothing otherwise.
     */
    Optional<ObjectNode> answer(HookSession session, HookEvent event) {
        var allowance = new StepAllowance(MOST_STEPS, () -> Problem.unavailable()); // Then the answer is empty.
        var edits = event.edits(allowance);
        if (edits.isNone()) {
            return Optional.empty();
        }
        var client = session.client();
        var tenant = session.caller().tenant();
        var all = reservations.taken(tenant, session.agent(), event.subAgent());
        var taken = ReservationStore.findTaken(all, edits.certain(), edits.letters(), allowance);
        if (taken.isPresent()) {
            return taken.map(one -> isNews(session, one, "refused")
                            ? refuse(tenant, session, one)
                            : shortReason(one.reservation()))
                    .map(reason -> client.refuse(event, reason));
        }
        return ReservationStore.findTaken(all, edits.possible(), edits.letters(), allowance)
                .or(() -> edits.isOpen()
                        ? all.stream().filter(one -> one.isIn(edits.worktree())).findFirst()
                        : Optional.empty())
                .filter(one -> isNews(session, one, "cautioned"))
                .map(one -> client.context(event, caution(one)));
    }

    private boolean isNews(HookSession session, Taken taken, String what) {
        var key =
                "%s %d %d %s %s".formatted(what, session.caller().tenant(), session.agent(), session.id(), taken.id());
        return notices.passes(key);
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

    private static String caution(Taken taken) {
        var reservation = taken.reservation();
        return "This command may write files that others have reserved, such as %s, which %s has in the domain %s until %s: leave those as they are."
                .formatted(
                        HookTexts.quoted(reservation.path()),
                        DisplayName.of(reservation.holder()),
                        DisplayName.of(taken.domain()),
                        reservation.leaseUntil());
    }

    private static String shortReason(Reservation reservation) {
        return "%s still has reserved %s."
                .formatted(DisplayName.of(reservation.holder()), HookTexts.quoted(reservation.path()));
    }
}
