package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.event.EventData;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tenant's plan: AC_Read, AC_ChangePlan. */
final class PlanTools {
    private final AccountStore accounts;
    private final Allowance.Meter meter;

    public PlanTools(AccountStore accounts, Allowance.Meter meter) {
        this.accounts = accounts;
        this.meter = meter;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(read(), changePlan());
    }

    record ReadRequest() {}

    record ReadResponse(@Doc("The tenant.") Account account) {}

    record ChangeRequest(@Doc("The new plan.") Plan plan) {}

    record ChangeResponse(
            @Doc("The tenant, with the new plan.") Account account,
            @Doc("The plan before.") Plan previousPlan,
            @Doc("false if it had this plan already.") boolean changed,

            @Doc(
                    "The scopes that exceed the plan: existing things work, but you cannot create more until enough are deleted. Absent if there are none.")
            @Nullable
            List<Scope> exceeded) {}

    private Tool<ReadRequest, ReadResponse> read() {
        return Tool.named("AC_Read")
                .title("Read the account")
                .description("""
                        Reads the plan and its limits: allowed, used and left. Next: AC_ChangePlan.""")
                .details("""
                        It also shows when a count starts again, and how many requests your credential may make. It \
                        works when the commands of the day are used up, and does not count as one.""")
                .alsoCalled(
                        "what does our plan include",
                        "how much have we used",
                        "remaining quota",
                        "limits of the account",
                        "quota",
                        "usage",
                        "how much is left",
                        "billing",
                        "subscription",
                        "consumption",
                        "rate limit")
                .needs(Capability.ACCOUNT_READ)
                .route("GET", "/api/account")
                .unmetered()
                .handledBy(
                        ReadRequest.class,
                        ReadResponse.class,
                        (_, call) -> new ReadResponse(account(call, accounts.read(call))));
    }

    private Tool<ChangeRequest, ChangeResponse> changePlan() {
        return Tool.named("AC_ChangePlan")
                .title("Change the plan")
                .description("Changes the plan (free, team, scale, unlimited), for owners.")
                .details("""
                        It takes effect everywhere within a second. A smaller plan deletes nothing: exceeded shows where \
                        nothing more can be created. The same plan again changes nothing. AC_Read shows the usage.""")
                .alsoCalled(
                        "upgrade or downgrade",
                        "more capacity",
                        "switch to another tariff",
                        "buy a larger plan",
                        "upgrade",
                        "downgrade",
                        "raise the limits",
                        "more quota",
                        "buy")
                .needs(Capability.ACCOUNT_WRITE)
                .effect(Effect.CHANGES)
                .atLeast(Role.OWNER)
                .idempotent()
                .route("POST", "/api/account/plan")
                .example("plan", "team")
                .unmetered()
                .handledBy(ChangeRequest.class, ChangeResponse.class, (in, call) -> {
                    var previous = accounts.change(call, in.plan());
                    if (previous != in.plan()) {
                        call.emit(
                                EventType.BILLING_PLAN_CHANGED,
                                new EventData.PlanChanged(
                                        previous, in.plan(), call.caller().userName()));
                    }
                    var account = account(call, accounts.read(call));
                    var exceeded = account.limits().stream()
                            .filter(Account.Usage::exceedsPlan)
                            .map(Account.Usage::scope)
                            .toList();
                    return new ChangeResponse(
                            account, previous, previous != in.plan(), exceeded.isEmpty() ? null : exceeded);
                });
    }

    private Account account(Call call, AccountStore.StoredAccount stored) {
        var limits = Arrays.stream(Scope.values())
                .map(scope -> usage(call, stored, scope))
                .toList();
        var rate = meter.left(call.caller()).stream()
                .filter(one -> one.scope().equals(Allowance.RATE))
                .findFirst()
                .orElse(null);
        return new Account(stored.tenant(), stored.createdAt(), stored.plan(), limits, rate);
    }

    private Account.Usage usage(Call call, AccountStore.StoredAccount stored, Scope scope) {
        var limit = stored.plan().limit(scope);
        var counted = stored.counts().getOrDefault(scope, 0L);
        // This replica may have run commands that are not in the database yet.
        var count = scope.isStanding() ? counted : Math.max(counted, meter.ran(call.caller()));
        var tomorrow =
                call.now().atOffset(ZoneOffset.UTC).truncatedTo(ChronoUnit.DAYS).plusDays(1);
        return new Account.Usage(
                scope,
                limit.isPresent() ? (Long) limit.getAsLong() : null,
                count,
                limit.isPresent() ? (Long) Math.max(0, limit.getAsLong() - count) : null,
                scope.isStanding() ? null : tomorrow.toInstant());
    }
}
