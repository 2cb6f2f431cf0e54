package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.RateLimit;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.identity.account.CallLimits;
import io.agentworkspace.engine.identity.account.Quotas;
import io.agentworkspace.engine.identity.account.RateStore;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Housekeeping;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.http.RequestRate;
import io.agentworkspace.engine.web.server.CallerLimit;
import java.time.Clock;
import java.time.Duration;

/** How many calls are allowed: by the plan of a tenant, and by the rate of a caller. */
record LimitAssembly(Quotas quotas, CallerLimit callers, CallLimits calls) {
    private static final Duration SECOND = Duration.ofSeconds(1);

    static LimitAssembly of(
            Settings settings, Db db, CallerChanges watch, EventLog events, Clock clock, Housekeeping housekeeping) {
        var quotas = new Quotas(db, watch, events, clock);
        var rates = new RateStore(db);
        var callers = new CallerLimit(rate(settings.http().rateLimit()), clock);
        housekeeping
                .every(SECOND, "writing counts", quotas::flush)
                .every(SECOND, "writing rates", () -> callers.settle(rates))
                .clearing("counts", quotas::purge)
                .clearing("rates", rates::purge);
        return new LimitAssembly(quotas, callers, new CallLimits(quotas, callers.and(quotas::commands), callers::take));
    }

    static RequestRate rate(RateLimit limit) {
        return limit.isOff() ? RequestRate.OFF : new RequestRate(limit.permitsPerSecond(), limit.burst());
    }
}
