package io.agentworkspace.engine.app;

import io.agentworkspace.engine.a2a.endpoint.A2aFeature;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.calls.inbox.InboxFeature;
import io.agentworkspace.engine.calls.runner.ObservedRunner;
import io.agentworkspace.engine.calls.runner.Runner;
import io.agentworkspace.engine.identity.account.AccountFeature;
import io.agentworkspace.engine.identity.account.CallLimits;
import io.agentworkspace.engine.identity.audit.AuditFeature;
import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.identity.keys.KeysFeature;
import io.agentworkspace.engine.identity.rules.Rules;
import io.agentworkspace.engine.identity.rules.RulesFeature;
import io.agentworkspace.engine.identity.signin.SignInFeature;
import io.agentworkspace.engine.identity.users.UsersFeature;
import io.agentworkspace.engine.integrations.joining.JoiningFeature;
import io.agentworkspace.engine.integrations.skills.SkillsFeature;
import io.agentworkspace.engine.integrations.upstreams.UpstreamsFeature;
import io.agentworkspace.engine.integrations.webhooks.ReceiverServices;
import io.agentworkspace.engine.integrations.webhooks.WebhooksFeature;
import io.agentworkspace.engine.integrations.webhooks.outbox.FeedStore;
import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxFeature;
import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore;
import io.agentworkspace.engine.integrations.webhooks.sender.ReceiverProbes;
import io.agentworkspace.engine.integrations.webhooks.sender.Sender;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.metrics.Metrics;
import io.agentworkspace.engine.kernel.metrics.ToolMeter;
import io.agentworkspace.engine.kernel.outbound.AddressPolicy;
import io.agentworkspace.engine.kernel.outbound.OutboundUrl;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.kernel.secrets.SealKeys;
import io.agentworkspace.engine.kernel.secrets.SealedCursors;
import io.agentworkspace.engine.kernel.secrets.StateSigner;
import io.agentworkspace.engine.memory.banks.BanksFeature;
import io.agentworkspace.engine.memory.banks.LoadedMemoryStore;
import io.agentworkspace.engine.memory.banks.files.FilesFeature;
import io.agentworkspace.engine.memory.banks.transfer.ImportRunner;
import io.agentworkspace.engine.memory.banks.transfer.TransferFeature;
import io.agentworkspace.engine.memory.documents.DocumentsFeature;
import io.agentworkspace.engine.memory.documents.queue.ValidationFeature;
import io.agentworkspace.engine.memory.search.SearchFeature;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.agents.AgentsFeature;
import io.agentworkspace.engine.workspace.agents.RemoteStore;
import io.agentworkspace.engine.workspace.chat.ChatFeature;
import io.agentworkspace.engine.workspace.chat.search.MessageSearchFeature;
import io.agentworkspace.engine.workspace.delivery.wait.WaitFeature;
import io.agentworkspace.engine.workspace.domains.DomainsFeature;
import io.agentworkspace.engine.workspace.reservations.ReservationsFeature;
import io.agentworkspace.engine.workspace.tasks.TasksFeature;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * The features below the runner, and what other parts of the engine need of them. Their order is that of the tools that clients see; they
 * start in it, and close in reverse.
 */
public final class Features {
    private final List<Feature> features = new ArrayList<>();
    private final List<Tool<?, ?>> tools = new ArrayList<>();
    private final KeyStore keys;
    private final AuditStore audit;
    private final Rules rules;
    private final SignInFeature signIn;
    private final AgentsFeature agents;
    private final WaitFeature wait;
    private final SearchFeature search;
    private final DocumentsFeature documents;
    private final UpstreamsFeature upstreams;
    private final Catalogue catalogue;

    /**
     * @param limits of calls
     * @param mostWaiting the largest number of calls that wait for messages
     */
    public Features(Ground ground, CallLimits limits, int mostWaiting) {
        var db = ground.db();
        var clock = ground.clock();
        var settings = ground.settings();
        var baseUrl = ground.published().baseUrl();
        var all = Collections.unmodifiableList(tools);
        var retention = settings.retention();
        keys = new KeyStore(db, clock, ground.watch());
        audit = new AuditStore(db, Duration.ofDays(retention.auditDays()));
        rules = new Rules(db, ground.watch());
        signIn = signInOf(ground);
        add(signIn.feature());
        add(outbox(ground, Duration.ofDays(retention.eventsDays())));
        search = SearchFeature.of(
                db, settings.embedding(), settings.database().dataDir().resolve("search"), ground.heavy(), clock);
        upstreams = UpstreamsFeature.of(
                new UpstreamsFeature.Parts(
                        db,
                        ground.vault(),
                        new VettedClient(
                                AddressPolicy.allowing(settings.upstreams().allowed()),
                                settings.webhooks().authorities()),
                        signIn.assertions()::apply,
                        audit,
                        baseUrl,
                        ground.watch(),
                        ground.heavy()),
                rules,
                clock);
        var installed = upstreams.installed();

        add(UsersFeature.of(db, limits));
        add(InboxFeature.of(db));
        agents = AgentsFeature.of(db, ground.vault(), new RemoteStore.Rules(remotes(settings), A2aFeature.HEADERS));
        add(agents.feature());
        wait = WaitFeature.of(db, ground.contexts(), mostWaiting, clock);
        add(ChatFeature.of(db, ground.contexts(), wait.waiting(), settings.a2a().on(), clock));
        add(wait.feature());
        add(MessageSearchFeature.of(db));
        add(DomainsFeature.of(db));
        var banks = add(BanksFeature.of(db, ground.contexts(), search.vectors(), search.writable(), clock));
        add(FilesFeature.of(db));
        add(TransferFeature.of(db, rules, banks.tool("MB_Store"), baseUrl));
        add(search.feature());
        add(TasksFeature.of(db, ground.events(), Duration.ofDays(retention.tasksDays()), clock));
        add(ReservationsFeature.of(db, ground.contexts(), clock));
        add(KeysFeature.of(db, keys, new AgentStore(db)::read, all, installed));
        add(JoiningFeature.of(db, all, installed, baseUrl));
        add(WebhooksFeature.of(db, receivers(ground)));
        add(SkillsFeature.of(db, all));
        add(RulesFeature.of(db, rules, all));
        documents = DocumentsFeature.of(db, new LoadedMemoryStore(db), clock);
        add(documents.feature());
        add(ValidationFeature.of(
                db,
                documents.files(),
                rules.documents(),
                ground.events(),
                audit,
                new ValidationFeature.Limits(
                        settings.documents().longest(),
                        Duration.ofDays(settings.documents().rejectedDays())),
                clock));
        add(AccountFeature.of(db, limits));
        add(AuditFeature.of(db, audit, all, clock));
        add(upstreams.feature());
        catalogue = new Catalogue(List.copyOf(tools), installed);
    }

    /** Returns what checks the addresses of agents that live elsewhere. */
    private static RemoteStore.Addresses remotes(Settings settings) {
        if (!settings.a2a().on()) {
            return (_, _) -> {
                throw Problem.invalid(
                        "url", "must be left out: ENGINE_A2A is off, so nothing is sent to agents elsewhere");
            };
        }
        var policy = AddressPolicy.allowing(settings.upstreams().allowed());
        return (url, internal) -> OutboundUrl.parse(url, internal ? policy : AddressPolicy.PUBLIC);
    }

    private Feature add(Feature feature) {
        feature.addTo(tools);
        features.add(feature);
        return feature;
    }

    private SignInFeature signInOf(Ground ground) {
        var settings = ground.settings().signIn();
        return SignInFeature.of(
                new SignInFeature.Parts(ground.db(), keys, audit, ground.vault(), ground.watch(), ground.published()),
                new SignInFeature.Config(
                        settings.providers(),
                        Set.copyOf(settings.surfaces()),
                        settings.mcpProvider(),
                        settings.isBuiltin()),
                ground.clock());
    }

    private static Feature outbox(Ground ground, Duration kept) {
        var settings = ground.settings();
        var webhooks = settings.webhooks();
        var observability = settings.observability();
        return OutboxFeature.of(
                new OutboxStore(ground.db(), ground.vault(), ground.events()),
                new FeedStore(ground.db(), ground.restores()),
                new Sender(webhooks.allowPrivate(), webhooks.authorities(), ground.clock()),
                ground.events(),
                new OutboxFeature.Config(
                        webhooks.schedule(),
                        kept,
                        observability.metricsToken() != null || observability.metricsListen() != null),
                ground.clock());
    }

    private static ReceiverServices receivers(Ground ground) {
        var webhooks = ground.settings().webhooks();
        var probes = new ReceiverProbes(webhooks.allowPrivate(), webhooks.authorities(), ground.clock());
        return new ReceiverServices(ground.vault(), probes, webhooks.allowPrivate());
    }

    /** Returns what runs the tools. */
    ToolRunner runner(Ground ground, CallLimits limits, Metrics metrics, SealKeys sealKeys) {
        var runner = new Runner(
                catalogue,
                ground.db(),
                ground.contexts(),
                ground.clock(),
                agents.presence(),
                keys.use(),
                agents.use(),
                audit,
                ground.events(),
                limits,
                rules,
                new SealedCursors(new StateSigner(sealKeys)),
                ground.heavy());
        var names = catalogue.tools().stream().map(Tool::name).toList();
        return new ImportRunner(
                new ObservedRunner(runner, new ToolMeter(metrics, names)), ground.heavy(), ground.clock());
    }

    /** Returns all tools. */
    public Catalogue catalogue() {
        return catalogue;
    }

    List<Feature> all() {
        return Collections.unmodifiableList(features);
    }

    KeyStore keys() {
        return keys;
    }

    SignInFeature signIn() {
        return signIn;
    }

    AuditStore audit() {
        return audit;
    }

    AgentsFeature agents() {
        return agents;
    }

    WaitFeature waits() {
        return wait;
    }

    SearchFeature search() {
        return search;
    }

    DocumentsFeature documents() {
        return documents;
    }

    UpstreamsFeature upstreams() {
        return upstreams;
    }
}
