package io.agentworkspace.engine.tools;

import io.agentworkspace.engine.library.Library;
import io.agentworkspace.engine.model.Allowance;
import io.agentworkspace.engine.model.Catalogue;
import io.agentworkspace.engine.model.Tool;
import io.agentworkspace.engine.store.AccountStore;
import io.agentworkspace.engine.store.AgentReads;
import io.agentworkspace.engine.store.AgentStore;
import io.agentworkspace.engine.store.AuditReads;
import io.agentworkspace.engine.store.BankReads;
import io.agentworkspace.engine.store.BankStore;
import io.agentworkspace.engine.store.CensorStore;
import io.agentworkspace.engine.store.ContextStore;
import io.agentworkspace.engine.store.Db;
import io.agentworkspace.engine.store.DeliveryQueue;
import io.agentworkspace.engine.store.DeliveryReads;
import io.agentworkspace.engine.store.DomainReads;
import io.agentworkspace.engine.store.DomainStore;
import io.agentworkspace.engine.store.EndpointReads;
import io.agentworkspace.engine.store.EndpointStore;
import io.agentworkspace.engine.store.GrantStore;
import io.agentworkspace.engine.store.IdempotencyStore;
import io.agentworkspace.engine.store.KeyLedger;
import io.agentworkspace.engine.store.KeyReads;
import io.agentworkspace.engine.store.MembershipStore;
import io.agentworkspace.engine.store.MemoryReads;
import io.agentworkspace.engine.store.MemoryStore;
import io.agentworkspace.engine.store.MessageStore;
import io.agentworkspace.engine.store.ShareStore;
import io.agentworkspace.engine.store.SkillReads;
import io.agentworkspace.engine.store.SkillStore;
import io.agentworkspace.engine.store.TrashStore;
import io.agentworkspace.engine.store.UserReads;
import io.agentworkspace.engine.store.UserStore;
import io.agentworkspace.engine.store.ZoneEntry;
import io.agentworkspace.engine.store.ZoneReads;
import io.agentworkspace.engine.store.ZoneStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Puts the families together, over one database. */
public final class Toolbox {
    private Toolbox() {}

    public static Runner runner(Db db, Runner.Surroundings around, Outbound outbound) {
        return new Runner(
                catalogue(db, around.metering(), outbound), db, new ContextStore(db), new IdempotencyStore(db), around);
    }

    /** All tools in the order that clients see: in each family a harmless read first. */
    public static Catalogue catalogue(Db db, Allowance.Meter meter, Outbound outbound) {
        var contexts = new ContextStore(db);
        var messages = new MessageStore(db);
        var agents = new AgentStore(db);
        var domains = new DomainStore(db);
        var domainReads = new DomainReads(db, domains);
        var memberships = new MembershipStore(db, agents);
        var zones = new ZoneStore(db);
        var tools = new ArrayList<Tool<?, ?>>();
        tools.addAll(new UserTools(new UserReads(db), meter).tools());
        tools.addAll(new UserAdminTools(new UserStore(db)).tools());
        tools.addAll(new AgentTools(agents, new AgentReads(db, agents), messages).tools());
        tools.addAll(new PresenceTools(agents, contexts, messages).tools());
        tools.addAll(new ChatTools(agents, messages, new ZoneEntry(db, domains)).tools());
        tools.addAll(new DomainTools(domains, domainReads, agents, messages).tools());
        tools.addAll(new MembershipTools(domains, memberships, messages).tools());
        tools.addAll(new ZoneTools(domains, zones, new ZoneReads(db, domainReads), contexts, messages).tools());
        tools.addAll(banks(db, agents));
        tools.addAll(keys(db, agents, Collections.unmodifiableList(tools)));
        tools.addAll(webhooks(db, outbound));
        tools.addAll(skills(db, agents, Collections.unmodifiableList(tools)));
        tools.addAll(new PlanTools(new AccountStore(db), meter).tools());
        tools.addAll(new AccountTools(new AuditReads(db), Collections.unmodifiableList(tools)).tools());
        return new Catalogue(List.copyOf(tools));
    }

    /** @param all all tools, once they exist */
    private static List<Tool<?, ?>> keys(Db db, AgentStore agents, List<Tool<?, ?>> all) {
        var keys = new KeyLedger(db);
        var words = new KeyWords(all);
        var tools = new ArrayList<Tool<?, ?>>();
        tools.addAll(new KeyTools(new KeyReads(db), words).tools());
        tools.addAll(new KeyGrantTools(keys, agents, words).tools());
        tools.addAll(new KeyLifeTools(keys).tools());
        return tools;
    }

    /** @param all all tools, once they exist */
    private static List<Tool<?, ?>> skills(Db db, AgentStore agents, List<Tool<?, ?>> all) {
        var reads = new SkillReads(db);
        var library = new Library(reads);
        var tools = new ArrayList<Tool<?, ?>>();
        tools.addAll(new SkillTools(library, reads, all).tools());
        tools.addAll(new SkillCareTools(library, new SkillStore(db), agents, all).tools());
        return tools;
    }

    private static List<Tool<?, ?>> webhooks(Db db, Outbound outbound) {
        var endpoints = new EndpointStore(db, outbound.vault());
        var reads = new DeliveryReads(db);
        var queue = new DeliveryQueue(db);
        var tools = new ArrayList<Tool<?, ?>>();
        tools.addAll(new EventTools(new ContextStore(db), reads, queue, endpoints).tools());
        tools.addAll(new EndpointTools(new EndpointReads(db), endpoints, outbound).tools());
        tools.addAll(new GradeTool(endpoints, outbound).tools());
        tools.addAll(new DeliveryTools(reads, queue, endpoints).tools());
        return tools;
    }

    private static List<Tool<?, ?>> banks(Db db, AgentStore agents) {
        var banks = new BankStore(db);
        var reads = new MemoryReads(db, banks);
        var grants = new GrantStore(db, agents, banks);
        var shares = new ShareStore(db, agents);
        var acting = new Acting(agents);
        var tools = new ArrayList<Tool<?, ?>>();
        tools.addAll(new BankTools(banks, new BankReads(db, agents), acting).tools());
        tools.addAll(new MemoryTools(banks, new MemoryStore(db), reads, acting).tools());
        tools.addAll(new PermissionTools(banks, grants).tools());
        tools.addAll(new LoadTools(banks, grants, reads, acting).tools());
        tools.addAll(new CensorTools(banks, shares, new CensorStore(db)).tools());
        tools.addAll(new TrashTools(banks, shares, new TrashStore(db, banks)).tools());
        return tools;
    }
}
