package io.agentworkspace.engine.workspace.guard;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.workspace.guard.GuardQueries.History;
import io.agentworkspace.engine.workspace.guard.GuardQueries.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stops agents that answer each other without a person and without progress, by the number of answers, by rate, and by
 * the count since a person spoke or a task changed its state.
 *
 * @param other the recipient; null in a zone
 * @param domain the zone's
 * @param isExempt whether the message may exceed the limits
 */
public record LoopGuard(@Nullable Long other, @Nullable String domain, Place place, History history, boolean isExempt) {
    /** Agents in a zone may send this many times what two agents may exchange in a minute, until a person speaks. */
    public static final int IN_ZONE = 3;

    /** How much more for each further agent. */
    private static final int MORE_IN_ZONE = 2;

    private static final int MANY_PARTNERS = 50;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** What ends a refusal: docs/hearing.md has the same rule. The limit of a minute only ends in time. */
    private static final String RULE =
            "stop until retry_at, or until a person speaks %s or a task changes its state (TK_Update)";

    /** Returns the lineage of a person's message. A person may always speak, which resets the counts. */
    Lineage ofPerson() {
        return Lineage.of(history.parent(), List.of(), null);
    }

    boolean isZone() {
        return other == null;
    }

    /** Returns the zone's conversation, or the recipient. */
    long placeId() {
        return other == null ? place.conversation() : other;
    }

    LoopGuard exempt() {
        return new LoopGuard(other, domain, place, history, true);
    }

    /**
     * Returns what is stored with the message of a program that speaks as a user. It counts like an agent's in a zone and
     * in a chain of answers; its direct messages are not counted, but reset nothing either.
     */
    Lineage ofProgram() {
        if (other == null) {
            checkStopped();
        }
        var chain = chain();
        if (other == null) {
            checkZone();
        }
        return Lineage.of(history.parent(), chain, history.personAt());
    }

    /**
     * Returns what is stored with an agent's message.
     *
     * @throws Problem {@code conflict} with the reason, if the exchange is too long or too fast
     */
    Lineage ofAgent() {
        if (other == null || history.toAgent()) {
            checkStopped();
        }
        var chain = chain();
        if (other == null) {
            checkZone();
        }
        if (other == null || !history.toAgent()) {
            return Lineage.of(history.parent(), chain, history.personAt());
        }
        var partners = new ArrayList<>(history.partners());
        if (!partners.contains(other) && partners.size() < MANY_PARTNERS) {
            partners.add(other);
        }
        checkDirect(partners.size());
        checkPace();
        return new Lineage(history.parent(), chain, history.personAt(), history.directMessages() + 1, partners);
    }

    /** Returns the chain that the message continues: none after a person's message, progress or a silence. */
    private List<Long> chain() {
        var parent = history.parent();
        if (parent == null || !parent.byProgram() || isOver(parent.at())) {
            return List.of();
        }
        var chain = new ArrayList<>(parent.chain());
        chain.add(parent.speaker());
        var most = place.hops();
        if (chain.size() <= most) {
            return chain;
        }
        check(
                "this would be hop %d of agents answering each other, at most %d are allowed; "
                                .formatted(chain.size(), most)
                        + rule(),
                parent.at().plus(GuardQueries.RECENT));
        return List.copyOf(chain.subList(chain.size() - Math.toIntExact(most), chain.size()));
    }

    /** Whether agents have begun afresh since the answered message. */
    private boolean isOver(Instant answered) {
        return (history.progressAt() != null && !answered.isAfter(history.progressAt()))
                || (history.personAt() != null && answered.isBefore(history.personAt()))
                || !answered.plus(GuardQueries.RECENT).isAfter(place.at());
    }

    private String rule() {
        return RULE.formatted(other == null ? "in the zone" : "to you");
    }

    private void checkStopped() {
        if (place.isStopped()) {
            throw Problem.conflict(
                    "loop guard: the agents were stopped, so do not try again; guard.stopped false lets them go on, which "
                            + whoMaySet() + " sets");
        }
    }

    private void checkPace() {
        var first = history.pacedAt();
        if (first != null && first.plus(MINUTE).isAfter(place.at())) {
            check(
                    "these two agents exchanged %d messages in the last minute, at most %d are allowed; wait until retry_at, or write in a zone"
                            .formatted(place.perMinute(), place.perMinute()),
                    first.plus(MINUTE));
        }
    }

    private void checkZone() {
        var limit = place.perMinute() * (IN_ZONE + MORE_IN_ZONE * Math.max(0, place.voices() - 3));
        if (place.agentsSaid() > limit) {
            check(
                    "agents said %d messages in a row in this zone, at most %d are allowed for %d agents; "
                                    .formatted(place.agentsSaid() - 1, limit, place.voices())
                            + rule(),
                    place.at().plus(GuardQueries.RECENT));
        }
    }

    private void checkDirect(int partners) {
        var limit = place.perMinute() * Math.max(1, partners - 1);
        if (history.directMessages() >= limit) {
            check(
                    "you sent %d direct messages to agents in a row, at most %d are allowed; "
                                    .formatted(history.directMessages(), limit)
                            + rule(),
                    place.at().plus(GuardQueries.RECENT));
        }
    }

    private void check(String reason, Instant retryAt) {
        if (!isExempt) {
            throw Problem.conflict("loop guard: %s. To change the limit, %s sets guard".formatted(reason, whoMaySet()))
                    .with("retry_at", retryAt);
        }
    }

    private String whoMaySet() {
        return domain == null
                ? "an agent's owner or an admin (AP_Modify)"
                : "the owner of the domain '%s' or an admin (DM_Update)".formatted(domain);
    }
}
