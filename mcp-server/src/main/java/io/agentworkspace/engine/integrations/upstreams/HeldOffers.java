package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.OfferRules.Objection;
import io.agentworkspace.engine.integrations.upstreams.UpstreamRow.OfferRow;
import io.agentworkspace.engine.integrations.upstreams.UpstreamTool.State;
import io.agentworkspace.engine.kernel.access.UpstreamOffers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Compares a server's descriptions of what it offers with those that were approved. Whatever is new or differs is held. */
final class HeldOffers {
    private static final String ADDRESSES =
            "one of its texts addresses agents, as an instruction would: approve it by name if you trust it";

    private static final String NEW = "it is new";
    private static final String CHANGED = "it has changed";

    /** Reasons that have no word of a server. */
    static final Set<String> PLAIN = Set.of(NEW, CHANGED, UpstreamOffers.REFUSED, UpstreamOffers.WITHDRAWN);

    private HeldOffers() {}

    /**
     * Returns the rows to write.
     *
     * @param seen what the server has now
     * @param approvesNew whether new tools are approved at once, unless something speaks against it
     */
    static List<OfferRow> of(
            String upstream,
            List<OfferRow> before,
            List<Definition> seen,
            boolean approvesNew,
            Objection rules,
            Instant now) {
        Map<Item, OfferRow> existing = before.stream()
                .collect(Collectors.toMap(
                        row -> new Item(row.kind(), row.item()), Function.identity(), (a, _) -> a, LinkedHashMap::new));
        var names = new OfferNames(upstream, before.stream().map(OfferRow::name).collect(Collectors.toSet()));
        var rows = new ArrayList<OfferRow>();
        for (var definition : seen) {
            var was = existing.remove(new Item(definition.kind(), definition.item()));
            var name = was == null ? names.of(definition) : was.name();
            rows.add(row(was, name, definition, approvesNew, rules, now));
        }
        existing.values()
                .forEach(gone -> rows.add(with(
                        gone, State.GONE, gone.decision() == null ? "its server no longer has it" : gone.reason())));
        return rows;
    }

    private record Item(OfferKind kind, String item) {}

    private static OfferRow row(
            @Nullable OfferRow was,
            String name,
            Definition definition,
            boolean approvesNew,
            Objection rules,
            Instant now) {
        var digest = definition.digest();
        var seen = new OfferRow(
                definition.kind(),
                definition.item(),
                name,
                definition.json(),
                digest,
                was == null ? null : was.approved(),
                was == null ? null : was.approvedDigest(),
                was == null ? null : was.approvedAt(),
                State.HELD.word(),
                null);
        if (was != null && was.decision() != null && digest.equals(was.digest())) {
            return with(seen, State.HELD, was.reason());
        }
        if (digest.equals(seen.approvedDigest())) {
            return with(seen, State.APPROVED, null);
        }
        var obstacle = obstacle(seen, definition, rules);
        if (obstacle != null) {
            return with(seen, State.HELD, obstacle);
        }
        return approvesNew && was == null
                ? approved(seen, now)
                : with(seen, State.HELD, was == null || was.approved() == null ? NEW : CHANGED);
    }

    private static @Nullable String obstacle(OfferRow offer, Definition definition, Objection rules) {
        var obstacle = definition.obstacle();
        if (obstacle == null && definition.addressesAgents()) {
            obstacle = ADDRESSES;
        }
        return obstacle != null ? obstacle : rules.to(offer);
    }

    private static OfferRow with(OfferRow row, State state, @Nullable String reason) {
        return new OfferRow(
                row.kind(),
                row.item(),
                row.name(),
                row.definition(),
                row.digest(),
                row.approved(),
                row.approvedDigest(),
                row.approvedAt(),
                state.word(),
                reason);
    }

    private static OfferRow approved(OfferRow row, Instant now) {
        return new OfferRow(
                row.kind(),
                row.item(),
                row.name(),
                row.definition(),
                row.digest(),
                row.definition(),
                row.digest(),
                now,
                State.APPROVED.word(),
                null);
    }

    /**
     * Returns what was held and is approved now, as rows to write.
     *
     * @param named those that an admin named, by either name; null for all against which nothing speaks
     */
    static List<OfferRow> approved(List<OfferRow> rows, @Nullable Set<String> named, Objection rules, Instant now) {
        return rows.stream()
                .filter(OfferRow::isHeld)
                .filter(row -> named == null
                        ? row.decision() == null && obstacle(row, row.now(), rules) == null
                        : row.isNamed(named))
                .map(row -> approved(row, now))
                .toList();
    }

    /**
     * Returns what is refused now, as rows to write.
     *
     * @param named those that an admin named, by either name; null to take back all approvals
     */
    static List<OfferRow> refused(List<OfferRow> rows, @Nullable Set<String> named) {
        return rows.stream()
                .filter(row -> named == null
                        ? row.approvedDigest() != null
                        : row.isNamed(named) && !UpstreamOffers.REFUSED.equals(row.reason()))
                .map(row -> with(
                        withoutApproval(row),
                        stateOf(row),
                        named == null ? UpstreamOffers.WITHDRAWN : UpstreamOffers.REFUSED))
                .toList();
    }

    private static State stateOf(OfferRow row) {
        return row.state().equals(State.GONE.word()) ? State.GONE : State.HELD;
    }

    private static OfferRow withoutApproval(OfferRow row) {
        return new OfferRow(
                row.kind(),
                row.item(),
                row.name(),
                row.definition(),
                row.digest(),
                null,
                null,
                null,
                row.state(),
                row.reason());
    }
}
