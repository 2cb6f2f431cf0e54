package io.agentworkspace.engine.workspace.delivery.wait;

import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import java.time.Clock;

/**
 * The feature of waiting for messages.
 *
 * @param waiting the calls that wait
 * @param wakes who is woken by what
 */
public record WaitFeature(WaitingCalls waiting, WakeStore wakes, Feature feature) {
    /** @param most the largest number of calls that wait */
    public static WaitFeature of(Db db, Contexts contexts, int most, Clock clock) {
        var wakes = new WakeStore(db, clock);
        var waiting = new WaitingCalls(new WaitQueries(db), new ListeningTenants(db, clock), wakes, most, clock);
        var tools = new WaitTools(new MessageWait(db, contexts, waiting, clock));
        var feature = new Feature()
                .tools(tools.tools())
                .after("AP_Chat")
                .listener(waiting.listener())
                .background(work -> work.clearing("registrations of who hears", wakes::purge));
        return new WaitFeature(waiting, wakes, feature);
    }
}
