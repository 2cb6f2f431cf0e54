package io.agentworkspace.engine.app;

import io.agentworkspace.engine.identity.account.AccountStore;
import io.agentworkspace.engine.identity.account.PlanTools;
import io.agentworkspace.engine.identity.audit.AuditQueries;
import io.agentworkspace.engine.identity.audit.AuditTools;
import io.agentworkspace.engine.identity.keys.KeyChangeStore;
import io.agentworkspace.engine.identity.keys.KeyGrantTools;
import io.agentworkspace.engine.identity.keys.KeyLifeTools;
import io.agentworkspace.engine.identity.keys.KeyLimitTexts;
import io.agentworkspace.engine.identity.keys.KeyQueries;
import io.agentworkspace.engine.identity.keys.KeyTools;
import io.agentworkspace.engine.identity.rules.RuleTools;
import io.agentworkspace.engine.identity.rules.Rules;
import io.agentworkspace.engine.identity.users.UserAdminTools;
import io.agentworkspace.engine.identity.users.UserQueries;
import io.agentworkspace.engine.identity.users.UserStore;
import io.agentworkspace.engine.identity.users.UserTools;
import io.agentworkspace.engine.integrations.joining.InvitationStore;
import io.agentworkspace.engine.integrations.joining.InviteTools;
import io.agentworkspace.engine.integrations.skills.Library;
import io.agentworkspace.engine.integrations.skills.SkillCareTools;
import io.agentworkspace.engine.integrations.skills.SkillQueries;
import io.agentworkspace.engine.integrations.skills.SkillStore;
import io.agentworkspace.engine.integrations.skills.SkillTools;
import io.agentworkspace.engine.integrations.upstreams.CallRelay;
import io.agentworkspace.engine.integrations.upstreams.InstallTools;
import io.agentworkspace.engine.integrations.upstreams.InstalledTools;
import io.agentworkspace.engine.integrations.upstreams.UpstreamCalls;
import io.agentworkspace.engine.integrations.upstreams.UpstreamProbe;
import io.agentworkspace.engine.integrations.upstreams.UpstreamStore;
import io.agentworkspace.engine.integrations.upstreams.UpstreamTools;
import io.agentworkspace.engine.integrations.upstreams.UpstreamWatch;
import io.agentworkspace.engine.integrations.upstreams.client.Connections;
import io.agentworkspace.engine.integrations.upstreams.client.SubjectTokens;
import io.agentworkspace.engine.integrations.webhooks.DeliveryQueries;
import io.agentworkspace.engine.integrations.webhooks.DeliveryQueueStore;
import io.agentworkspace.engine.integrations.webhooks.DeliveryTools;
import io.agentworkspace.engine.integrations.webhooks.EventTools;
import io.agentworkspace.engine.integrations.webhooks.GradeTool;
import io.agentworkspace.engine.integrations.webhooks.ReceiverQueries;
import io.agentworkspace.engine.integrations.webhooks.ReceiverServices;
import io.agentworkspace.engine.integrations.webhooks.ReceiverStore;
import io.agentworkspace.engine.integrations.webhooks.ReceiverTools;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.kernel.text.TextAnalysis;
import io.agentworkspace.engine.memory.banks.ActingAgent;
import io.agentworkspace.engine.memory.banks.BankGrantStore;
import io.agentworkspace.engine.memory.banks.BankQueries;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.BankTools;
import io.agentworkspace.engine.memory.banks.CensorStore;
import io.agentworkspace.engine.memory.banks.CensorTools;
import io.agentworkspace.engine.memory.banks.DocumentLoadStore;
import io.agentworkspace.engine.memory.banks.LoadTools;
import io.agentworkspace.engine.memory.banks.LoadedMemoryStore;
import io.agentworkspace.engine.memory.banks.MemoryQueries;
import io.agentworkspace.engine.memory.banks.MemoryStore;
import io.agentworkspace.engine.memory.banks.MemoryTools;
import io.agentworkspace.engine.memory.banks.PermissionTools;
import io.agentworkspace.engine.memory.banks.RevisionStore;
import io.agentworkspace.engine.memory.banks.ShareStore;
import io.agentworkspace.engine.memory.banks.SimilarStore;
import io.agentworkspace.engine.memory.banks.SingleMemoryStore;
import io.agentworkspace.engine.memory.banks.TrashQueries;
import io.agentworkspace.engine.memory.banks.TrashStore;
import io.agentworkspace.engine.memory.banks.TrashTools;
import io.agentworkspace.engine.memory.banks.VectorSource;
import io.agentworkspace.engine.memory.banks.files.FileQueries;
import io.agentworkspace.engine.memory.banks.files.FileStore;
import io.agentworkspace.engine.memory.banks.files.FileTools;
import io.agentworkspace.engine.memory.banks.transfer.ExportQueries;
import io.agentworkspace.engine.memory.banks.transfer.ExportTool;
import io.agentworkspace.engine.memory.banks.transfer.ImportStore;
import io.agentworkspace.engine.memory.banks.transfer.ImportTool;
import io.agentworkspace.engine.memory.banks.transfer.StoreRules;
import io.agentworkspace.engine.memory.documents.DeleteTool;
import io.agentworkspace.engine.memory.documents.DocumentFileStore;
import io.agentworkspace.engine.memory.documents.DocumentQueries;
import io.agentworkspace.engine.memory.documents.DocumentStore;
import io.agentworkspace.engine.memory.documents.DocumentTools;
import io.agentworkspace.engine.memory.documents.load.LoadQueries;
import io.agentworkspace.engine.memory.search.EvaluateTools;
import io.agentworkspace.engine.memory.search.SearchTools;
import io.agentworkspace.engine.memory.search.Searcher;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.TenantTools;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.workspace.agents.AgentQueries;
import io.agentworkspace.engine.workspace.agents.AgentRevisionQueries;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.agents.AgentTools;
import io.agentworkspace.engine.workspace.agents.AgentUseQueries;
import io.agentworkspace.engine.workspace.agents.AgentUseTools;
import io.agentworkspace.engine.workspace.agents.PresenceTools;
import io.agentworkspace.engine.workspace.chat.ChatTools;
import io.agentworkspace.engine.workspace.chat.QuestionTools;
import io.agentworkspace.engine.workspace.chat.search.MessageSearchTools;
import io.agentworkspace.engine.workspace.delivery.wait.MessageWait;
import io.agentworkspace.engine.workspace.delivery.wait.WaitQueries;
import io.agentworkspace.engine.workspace.delivery.wait.WaitTools;
import io.agentworkspace.engine.workspace.delivery.wait.WaitingCalls;
import io.agentworkspace.engine.workspace.domains.DomainQueries;
import io.agentworkspace.engine.workspace.domains.DomainStore;
import io.agentworkspace.engine.workspace.domains.DomainTools;
import io.agentworkspace.engine.workspace.domains.MembershipStore;
import io.agentworkspace.engine.workspace.domains.MembershipTools;
import io.agentworkspace.engine.workspace.domains.ZoneEntry;
import io.agentworkspace.engine.workspace.domains.ZoneQueries;
import io.agentworkspace.engine.workspace.domains.ZoneStore;
import io.agentworkspace.engine.workspace.domains.ZoneTools;
import io.agentworkspace.engine.workspace.inbox.InboxTools;
import io.agentworkspace.engine.workspace.messages.MessagePages;
import io.agentworkspace.engine.workspace.messages.MessageStore;
import io.agentworkspace.engine.workspace.reservations.ReservationTools;
import io.agentworkspace.engine.workspace.tasks.TaskAssembly;
import io.agentworkspace.engine.workspace.tasks.TaskPlaceQueries;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Assembles the tools of all families over one database. */
public final class Tools {
    private Tools() {}

    /** What tools share with other parts of the engine: the search, the files of documents, calls that wait, the rules, and its public address. */
    public record Shared(
            Searcher searcher,
            VectorSource vectors,
            DocumentFileStore files,
            WaitingCalls waiting,
            Clock clock,
            String baseUrl,
            Rules rules,
            Upstreams upstreams) {}

    /** What the tools of upstream servers need, and the tools of those servers. */
    public record Upstreams(
            UpstreamStore store,
            Connections connections,
            CallRelay relay,
            UpstreamCalls calls,
            UpstreamProbe probe,
            InstalledTools installed) {
        public static Upstreams of(
                Db db,
                Vault vault,
                VettedClient http,
                SubjectTokens subjects,
                CallerChanges watch,
                HeavyWork heavy,
                Clock clock) {
            var store = new UpstreamStore(db, vault);
            var connections = new Connections(http, subjects, clock);
            var relay = new CallRelay(db, connections, clock);
            var calls = new UpstreamCalls(connections, store, relay, clock);
            var probe = new UpstreamProbe(connections, heavy);
            return new Upstreams(store, connections, relay, calls, probe, new InstalledTools(store, calls, watch));
        }

        UpstreamWatch watch(ToolRunner runner, Clock clock) {
            return new UpstreamWatch(connections, installed, store, probe, runner, clock);
        }

        List<Tool<?, ?>> tools(Db db, Rules rules) {
            var upstreams = new UpstreamTools(db, store, calls, rules);
            var tools = new ArrayList<Tool<?, ?>>(upstreams.reading());
            tools.addAll(new InstallTools(store, connections, calls, probe, upstreams).tools());
            tools.addAll(upstreams.changing());
            return tools;
        }
    }

    /** Returns all tools in the order that clients see: in each family a harmless read first. */
    public static Catalogue catalogue(Db db, Allowance.Meter meter, ReceiverServices outbound, Shared shared) {
        var contexts = new ContextStore(db);
        var messages = new MessageStore(db);
        var agents = new AgentStore(db);
        var domains = new DomainStore(db);
        var domainReads = new DomainQueries(db, domains);
        var memberships = new MembershipStore(db, agents);
        var zones = new ZoneStore(db);
        var tools = new ArrayList<Tool<?, ?>>();
        tools.addAll(new UserTools(new UserQueries(db), meter).tools());
        tools.addAll(new InboxTools(db).tools());
        tools.addAll(new UserAdminTools(new UserStore(db)).tools());
        var revisions = new AgentRevisionQueries(db, agents);
        tools.addAll(new AgentTools(agents, new AgentQueries(db, agents), revisions, messages).tools());
        tools.addAll(new AgentUseTools(new AgentUseQueries(db, agents)).tools());
        tools.addAll(new PresenceTools(agents, contexts, messages).tools());
        var wait = new MessageWait(
                new WaitQueries(db), shared.waiting(), new MessagePages(db), agents, domains, shared.clock());
        var chat = new ChatTools(db, agents, messages, new ZoneEntry(db, domains), wait);
        tools.addAll(chat.tools());
        tools.addAll(new WaitTools(wait, contexts).tools());
        tools.addAll(new MessageSearchTools(db, agents, domains, contexts).tools());
        tools.addAll(new QuestionTools(db, chat, messages).tools());
        tools.addAll(new DomainTools(domains, domainReads, agents, messages).tools());
        tools.addAll(new MembershipTools(domains, memberships, messages).tools());
        tools.addAll(new ZoneTools(domains, zones, new ZoneQueries(db, domainReads), contexts, messages).tools());
        tools.addAll(banks(db, agents, shared));
        tools.addAll(TaskAssembly.tools(db, agents, domains, domainReads));
        tools.addAll(new ReservationTools(db, contexts, new TaskPlaceQueries(db, domains)).tools());
        tools.addAll(keys(
                db,
                agents,
                Collections.unmodifiableList(tools),
                shared.upstreams().installed()));
        tools.addAll(new InviteTools(
                        new InvitationStore(db),
                        agents,
                        domains,
                        new BankStore(db),
                        Collections.unmodifiableList(tools),
                        shared.upstreams().installed(),
                        shared.baseUrl())
                .tools());
        tools.addAll(webhooks(db, outbound));
        tools.addAll(skills(db, agents, Collections.unmodifiableList(tools)));
        tools.addAll(new RuleTools(db, Collections.unmodifiableList(tools)).tools());
        tools.addAll(documents(db, shared.files()));
        tools.addAll(new PlanTools(new AccountStore(db), meter).tools());
        tools.addAll(new AuditTools(new AuditQueries(db), Collections.unmodifiableList(tools)).tools());
        tools.addAll(shared.upstreams().tools(db, shared.rules()));
        return new Catalogue(List.copyOf(tools), shared.upstreams().installed());
    }

    private static List<Tool<?, ?>> documents(Db db, DocumentFileStore files) {
        var documents = new DocumentStore(db);
        var tools = new ArrayList<Tool<?, ?>>();
        tools.addAll(new DocumentTools(new DocumentQueries(db), documents, files).tools());
        tools.addAll(new DeleteTool(new ContextStore(db), documents, new LoadedMemoryStore(db)).tools());
        return tools;
    }

    /** @param all all tools; filled later */
    private static List<Tool<?, ?>> keys(Db db, AgentStore agents, List<Tool<?, ?>> all, TenantTools installed) {
        var keys = new KeyChangeStore(db);
        var words = new KeyLimitTexts(all, installed);
        var tools = new ArrayList<Tool<?, ?>>();
        tools.addAll(new KeyTools(new KeyQueries(db), words).tools());
        tools.addAll(new KeyGrantTools(keys, agents::read, words).tools());
        tools.addAll(new KeyLifeTools(keys).tools());
        return tools;
    }

    /** @param all all tools; filled later */
    private static List<Tool<?, ?>> skills(Db db, AgentStore agents, List<Tool<?, ?>> all) {
        var reads = new SkillQueries(db);
        var library = new Library(reads);
        var tools = new ArrayList<Tool<?, ?>>();
        tools.addAll(new SkillTools(library, reads, all).tools());
        tools.addAll(new SkillCareTools(library, new SkillStore(db), agents, all).tools());
        return tools;
    }

    private static List<Tool<?, ?>> webhooks(Db db, ReceiverServices outbound) {
        var receivers = new ReceiverStore(db, outbound.vault());
        var reads = new DeliveryQueries(db);
        var queue = new DeliveryQueueStore(db);
        var tools = new ArrayList<Tool<?, ?>>();
        tools.addAll(new EventTools(new ContextStore(db), reads, queue, receivers).tools());
        tools.addAll(new ReceiverTools(new ReceiverQueries(db), receivers, outbound).tools());
        tools.addAll(new GradeTool(receivers, outbound).tools());
        tools.addAll(new DeliveryTools(reads, queue, receivers).tools());
        return tools;
    }

    private static List<Tool<?, ?>> banks(Db db, AgentStore agents, Shared shared) {
        var banks = new BankStore(db);
        var reads = new MemoryQueries(db, banks);
        var grants = new BankGrantStore(db, agents, banks);
        var shares = new ShareStore(db, agents);
        var acting = new ActingAgent(agents);
        var tools = new ArrayList<Tool<?, ?>>();
        tools.addAll(new BankTools(banks, new BankQueries(db, agents), acting).tools());
        var memories = new MemoryStore(db);
        var similar = new SimilarStore(db, TextAnalysis::likeness);
        var onMemories = new MemoryTools(
                        banks, memories, reads, acting, shared.vectors(), new ContextStore(db), similar)
                .tools();
        tools.addAll(onMemories);
        tools.addAll(new FileTools(banks, memories, new FileStore(db), new FileQueries(db, banks)).tools());
        tools.add(new ExportTool(new ExportQueries(db, banks), shared.baseUrl()).export());
        var rules = new StoreRules(shared.rules(), onMemories.getLast());
        tools.add(
                new ImportTool(banks, acting, new ImportTool.Stores(new ImportStore(db), memories, rules)).importing());
        tools.addAll(new SearchTools(banks, shared.searcher()).tools());
        tools.addAll(new EvaluateTools(banks, shared.searcher(), shared.clock()).tools());
        tools.addAll(new PermissionTools(banks, grants).tools());
        tools.addAll(new LoadTools(banks, grants, reads, acting, new LoadQueries(db), new DocumentLoadStore(db, banks))
                .tools());
        tools.addAll(new CensorTools(banks, shares, new CensorStore(db), new SingleMemoryStore(db)).tools());
        tools.addAll(new TrashTools(
                        banks,
                        shares,
                        new TrashStore(db, banks),
                        new RevisionStore(db, memories),
                        new SingleMemoryStore(db),
                        memories,
                        new TrashQueries(db, banks))
                .tools());
        return tools;
    }
}
