package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.OfferRules.Objection;
import io.agentworkspace.engine.integrations.upstreams.UpstreamRow.OfferRow;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Approves or refuses what a server offers. */
final class ApprovedOffers {
    private ApprovedOffers() {}

    /**
     * Returns the rows to write.
     *
     * @param named the tools that an admin named, by either name; null for all against which nothing speaks
     * @throws Problem {@code not_found}, {@code conflict} or {@code rule_refused} if one of them cannot be approved
     */
    static List<OfferRow> of(UpstreamRow upstream, @Nullable List<String> named, Objection rules, Instant now) {
        if (named != null) {
            named.forEach(name -> check(find(upstream, name), rules));
        }
        return HeldOffers.approved(upstream.offerRows(), named == null ? null : new HashSet<>(named), rules, now);
    }

    /**
     * Returns the rows to write.
     *
     * @param named the tools that an admin named, by either name; null to take back all approvals
     * @throws Problem {@code not_found} or {@code conflict} if one of them cannot be refused
     */
    static List<OfferRow> refused(UpstreamRow upstream, @Nullable List<String> named) {
        if (named != null) {
            named.forEach(name -> checkIsThere(find(upstream, name), "refused"));
        }
        return HeldOffers.refused(upstream.offerRows(), named == null ? null : new HashSet<>(named));
    }

    private static OfferRow find(UpstreamRow upstream, String name) {
        return upstream.offerRows().stream()
                .filter(row -> row.isNamed(Set.of(name)))
                .findFirst()
                .orElseThrow(() -> {
                    var names =
                            upstream.offerRows().stream().map(OfferRow::name).toList();
                    return Problem.notFound("tool", Name.shortened(name), Near.nearest(name, names, 1));
                });
    }

    private static void check(OfferRow tool, Objection rules) {
        checkIsThere(tool, "approved");
        var obstacle = tool.isHeld() ? tool.now().obstacle() : null;
        if (obstacle != null) {
            throw Problem.conflict("%s cannot be approved: %s".formatted(tool.name(), obstacle));
        }
        var denial = tool.isHeld() ? rules.to(tool) : null;
        if (denial != null) {
            throw Problem.ruleRefused(denial);
        }
    }

    private static void checkIsThere(OfferRow tool, String verb) {
        if (tool.state().equals("gone")) {
            throw Problem.conflict("%s cannot be %s: its server no longer has it".formatted(tool.name(), verb));
        }
    }
}
