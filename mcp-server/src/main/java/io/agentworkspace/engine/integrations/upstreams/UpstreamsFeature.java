package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.rules.Rules;
import io.agentworkspace.engine.integrations.upstreams.accounts.AccountStore;
import io.agentworkspace.engine.integrations.upstreams.accounts.Accounts;
import io.agentworkspace.engine.integrations.upstreams.client.Connections;
import io.agentworkspace.engine.integrations.upstreams.client.SubjectTokens;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.accounts.UserAccounts;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.TenantTools;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * The feature of upstream servers: the tools that manage them, and what they offer.
 *
 * @param installed the tools of the servers
 * @param contents what else they offer
 * @param watch notices that a server has changed, with what runs its tools
 * @param accounts of users at servers
 */
public record UpstreamsFeature(
        TenantTools installed,
        Function<Caller, List<InstalledContent>> contents,
        Function<ToolRunner, UpstreamWatch> watch,
        UserAccounts accounts,
        Feature feature) {
    /** What calls to upstream servers work with. */
    public record Parts(
            Db db,
            Vault vault,
            VettedClient http,
            SubjectTokens subjects,
            AuditStore audit,
            String baseUrl,
            CallerChanges watch,
            HeavyWork heavy) {}

    public static UpstreamsFeature of(Parts parts, Rules rules, Clock clock) {
        var db = parts.db();
        var store = new UpstreamStore(db, parts.vault());
        var accountStore = new AccountStore(db, parts.vault());
        var ofAccounts = new Accounts.Parts(accountStore, parts.http(), parts.audit(), parts.baseUrl(), clock);
        var connections = new Connections(parts.http(), parts.subjects(), Accounts.tokens(ofAccounts), clock);
        var relay = new CallRelay(db, connections, clock);
        var calls = new UpstreamCalls(connections, store, relay, parts.baseUrl(), clock);
        var probe = new UpstreamProbe(connections, parts.heavy());
        var installed = new InstalledTools(store, calls, parts.watch());
        var upstreams = new UpstreamTools(db, store, calls, rules);
        var feature = new Feature()
                .tools(upstreams.reading())
                .tools(new InstallTools(store, connections, calls, probe, upstreams).tools())
                .tools(upstreams.changing())
                .listener(relay)
                .closing(parts.http())
                .closing(connections)
                .background(work -> work.every(
                                Duration.ofSeconds(1), "writing the health of upstream servers", calls::flush)
                        .clearing("answers for other replicas", relay::purge));
        return new UpstreamsFeature(
                installed,
                installed::contents,
                runner -> new UpstreamWatch(connections, installed, store, probe, runner, clock),
                new Accounts(ofAccounts, installed),
                Accounts.in(feature, accountStore, connections));
    }
}
