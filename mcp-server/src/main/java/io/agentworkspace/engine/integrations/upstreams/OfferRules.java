package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.identity.rules.Rules;
import io.agentworkspace.engine.integrations.upstreams.UpstreamRow.OfferRow;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Tool;
import org.jspecify.annotations.Nullable;

/**
 * Applies the rules of UP_Approve to each thing that a server offers, with its texts as {@code content} and its description as
 * {@code vx.description}. Whatever they deny is held.
 */
final class OfferRules {
    private final Rules rules;
    private final Tool<?, ?> approval;

    /** @param approval UP_Approve */
    OfferRules(Rules rules, Tool<?, ?> approval) {
        this.rules = rules;
        this.approval = approval;
    }

    /** What speaks against an offer: its own texts or schema, or a rule. */
    @FunctionalInterface
    interface Objection {
        @Nullable
        String to(OfferRow offer);
    }

    /** Returns what the tenant's rules say about the offers of a server in this call. */
    Objection of(String upstream, Call call) {
        return offer -> {
            var input = Json.object()
                    .put("name", upstream)
                    .put("description", offer.now().description())
                    .put("content", offer.now().texts());
            input.putArray("tools").add(offer.name());
            try {
                rules.checkPart(call, approval, input);
                return null;
            } catch (Problem denied) {
                if (denied.failure() != Failure.RULE_REFUSED) {
                    throw denied;
                }
                return denied.note();
            }
        };
    }
}
