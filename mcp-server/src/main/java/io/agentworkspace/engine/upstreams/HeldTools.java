package io.agentworkspace.engine.upstreams;

import io.agentworkspace.engine.model.upstream.UpstreamTool.State;
import io.agentworkspace.engine.upstreams.UpstreamRow.ToolRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Compares a server's descriptions of its tools with those that were approved. Whatever is new or differs is held. */
final class HeldTools {
    private static final String ADDRESSES =
            "one of its texts addresses agents, as an instruction would: approve it by name if you trust it";

    /** Reasons of tools that do not wait: an admin decided. */
    static final String REFUSED = "an admin refused it";

    static final String WITHDRAWN = "an admin took back all approvals";

    private HeldTools() {}

    /**
     * Returns the rows to write.
     *
     * @param seen what the server has now
     * @param approvesNew whether new tools are approved at once, unless something speaks against it
     */
    static List<ToolRow> of(
            String upstream, List<ToolRow> before, List<Definition> seen, boolean approvesNew, Instant now) {
        Map<String, ToolRow> known = before.stream()
                .collect(Collectors.toMap(ToolRow::tool, Function.identity(), (a, _) -> a, LinkedHashMap::new));
        var unnamed = seen.stream()
                .map(Definition::tool)
                .filter(tool -> !known.containsKey(tool))
                .toList();
        var names = ToolNames.of(
                upstream, unnamed, before.stream().map(ToolRow::name).collect(Collectors.toSet()));
        var rows = new ArrayList<ToolRow>();
        for (var definition : seen) {
            var was = known.remove(definition.tool());
            var name = was == null ? names.getOrDefault(definition.tool(), "") : was.name();
            rows.add(row(was, name, definition, approvesNew, now));
        }
        known.values()
                .forEach(gone -> rows.add(with(
                        gone, State.GONE, gone.decision() == null ? "its server no longer has it" : gone.reason())));
        return rows;
    }

    private static ToolRow row(
            @Nullable ToolRow was, String name, Definition definition, boolean approvesNew, Instant now) {
        var digest = definition.digest();
        var seen = new ToolRow(
                definition.tool(),
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
        var obstacle = obstacle(definition);
        if (obstacle != null) {
            return with(seen, State.HELD, obstacle);
        }
        return approvesNew && was == null
                ? approved(seen, now)
                : with(seen, State.HELD, was == null || was.approved() == null ? "it is new" : "it has changed");
    }

    private static @Nullable String obstacle(Definition definition) {
        var obstacle = definition.obstacle();
        return obstacle != null ? obstacle : definition.addressesAgents() ? ADDRESSES : null;
    }

    private static ToolRow with(ToolRow row, State state, @Nullable String reason) {
        return new ToolRow(
                row.tool(),
                row.name(),
                row.definition(),
                row.digest(),
                row.approved(),
                row.approvedDigest(),
                row.approvedAt(),
                state.word(),
                reason);
    }

    private static ToolRow approved(ToolRow row, Instant now) {
        return new ToolRow(
                row.tool(),
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
     * Returns the held tools that are approved now, as rows to write.
     *
     * @param named those that an admin named, by either name; null for all against which nothing speaks
     */
    static List<ToolRow> approved(List<ToolRow> rows, @Nullable Set<String> named, Instant now) {
        return rows.stream()
                .filter(ToolRow::isHeld)
                .filter(row -> named == null
                        ? row.decision() == null && obstacle(row.now()) == null
                        : named.contains(row.name()) || named.contains(row.tool()))
                .map(row -> approved(row, now))
                .toList();
    }

    /**
     * Returns the tools that are refused now, as rows to write.
     *
     * @param named those that an admin named, by either name; null to take back all approvals
     */
    static List<ToolRow> refused(List<ToolRow> rows, @Nullable Set<String> named) {
        return rows.stream()
                .filter(row -> named == null
                        ? row.approvedDigest() != null
                        : (named.contains(row.name()) || named.contains(row.tool())) && !REFUSED.equals(row.reason()))
                .map(row -> with(withoutApproval(row), stateOf(row), named == null ? WITHDRAWN : REFUSED))
                .toList();
    }

    private static State stateOf(ToolRow row) {
        return row.state().equals(State.GONE.word()) ? State.GONE : State.HELD;
    }

    private static ToolRow withoutApproval(ToolRow row) {
        return new ToolRow(
                row.tool(), row.name(), row.definition(), row.digest(), null, null, null, row.state(), row.reason());
    }
}
