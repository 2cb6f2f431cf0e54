package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What callers have left of their limits, for the runner.
 *
 * @param requests what each caller has left of its requests: the rate, and the commands of the day
 * @param rate counts a further call of a request
 */
public record CallLimits(Quotas quotas, Allowance.Meter requests, Consumer<Caller> rate) implements Allowance.Meter {
    /** Returns everything that the caller has left. */
    @Override
    public List<Allowance> left(Caller caller) {
        return left(caller, EnumSet.complementOf(EnumSet.of(Scope.COMMANDS)));
    }

    @Override
    public long ran(Caller caller) {
        return quotas.ran(caller);
    }

    /** Returns what the caller has left after the call, of the limits that the call used or exceeded. */
    public List<Allowance> after(Caller caller, @Nullable Call call, @Nullable Problem problem) {
        var excess = problem == null ? null : problem.excess();
        if (excess != null && excess.scope().isStanding()) {
            return left(caller, Set.of(excess.scope()));
        }
        return left(caller, problem != null || call == null ? Set.of() : call.created());
    }

    private List<Allowance> left(Caller caller, Set<Scope> standing) {
        var left = new ArrayList<>(requests.left(caller));
        standing.forEach(scope -> left.addAll(quotas.left(caller, scope)));
        return left;
    }
}
