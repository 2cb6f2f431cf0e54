package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.context.IfRevision;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Via;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.agents.AgentAccess;
import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Banks: MB_List, MB_Create, MB_Update. */
final class BankTools {
    static final String ACCESS = "Who may read it.";
    private static final String BASE_36 = "0123456789abcdefghijklmnopqrstuvwxyz";
    private static final int GENERATED = 8;

    private final SecureRandom random = new SecureRandom();
    private final BankStore banks;
    private final BankQueries reads;
    private final ActingAgent acting;

    public BankTools(BankStore banks, BankQueries reads, ActingAgent acting) {
        this.banks = banks;
        this.reads = reads;
        this.acting = acting;
    }

    record NewBank(
            @Doc(value = "Unique in the tenant. Default: generated.", mayBeBlank = true) @Nullable
            Name name,

            @Doc(value = "What the bank is for.", max = 2_000, mayBeBlank = true) @Nullable
            String description,

            @Doc(
                    value = ACCESS + " Default: private (you).",
                    oneOf = {"private", "bank", "domain", "agent", "public"},
                    mayBeBlank = true)
            @Nullable
            Access access) {}

    record SameBank(
            @Doc("The present name, or a new one.") Name name,

            @Doc(value = "The new description; blank removes it.", max = 2_000, mayBeBlank = true) @Nullable
            String description,

            @Doc(
                    value = "Who may read it.",
                    oneOf = {"private", "bank", "domain", "agent", "public"},
                    mayBeBlank = true)
            @Nullable
            Access access) {}

    record ListRequest(
            @Doc("Which banks, and for whom.") BankTargets.@Nullable Prefix target,
            @Doc("Which part.") @Nullable Page page) {}

    record CreateRequest(
            @Doc("On whose behalf.") BankTargets.@Nullable Create target,
            @Doc("The new bank.") @Nullable NewBank vx) {}

    record UpdateRequest(
            @Doc("Which bank.") BankTargets.Just target,
            @Doc("What replaces the old.") SameBank vx,

            @Doc(value = IfRevision.DOC, mayBeBlank = true) @Nullable
            Long ifRevision) {}

    record ListResponse(
            @Doc("The banks, by name.") List<Bank> profile,
            @Doc("For each of them, your permission.") List<Holding> content,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    record Holding(
            @Doc("The bank's name.") String bank,

            @Doc("What the acting agent, else you as the user, may do with it.")
            Permission permission,

            @Doc("The source of that permission.") Via via,

            @Doc("Whether the acting agent has it attached as working memory.")
            boolean loaded,

            @Doc("How many memories can be read in it; 1001: it has more than 1000.")
            long memories) {}

    record CreateResponse(
            @Doc("The new bank.") Bank bank,
            @Doc("Its revision.") long revision) {}

    record UpdateResponse(
            @Doc("The bank as it is now.") Bank bank,
            @Doc("Its revision.") long revision,
            @Doc("Whether anything was changed.") boolean changed) {}

    public List<Tool<?, ?>> tools() {
        return List.of(list(), create(), update());
    }

    private Tool<ListRequest, ListResponse> list() {
        return Tool.named("MB_List")
                .title("List memory banks")
                .description("""
                        Lists the memory banks that you may read, with your permission on each. Next: MB_Read.""")
                .details("""
                        As the agent you are logged on as, else as the user. content shows your permission (read < \
                        append < write < manage), where it comes from, whether the bank is attached as working memory, \
                        and how many memories can be read.""")
                .alsoCalled(
                        "which collections of knowledge are there",
                        "places to store knowledge",
                        "what memory banks can i see",
                        "which knowledge bases",
                        "my notebooks",
                        "collections",
                        "available memory",
                        "what do we know about")
                .needs(Capability.BANK_READ)
                .on(Requirement.OfAgent.ACT)
                .handledBy(ListRequest.class, ListResponse.class, (in, call) -> {
                    var target = in.target();
                    var agent = target == null ? null : target.agent();
                    var found = reads.list(call, target == null ? null : target.bank(), agent, in.page());
                    var subject = found.subject();
                    if (agent == null) {
                        call.checked(
                                Requirement.OfAgent.ACT); // The subject is the agent that the caller is logged on as.
                    } else if (subject.agent() != null) {
                        AccessCheck.require(
                                AgentAccess.missing(call, subject.agent(), subject.owner(), subject.ownerName()));
                    }
                    return new ListResponse(
                            found.banks().rows().stream()
                                    .map(BankQueries.BankSummary::bank)
                                    .toList(),
                            found.banks().rows().stream()
                                    .map(BankTools::holding)
                                    .toList(),
                            found.banks().nextCursor());
                });
    }

    private static Holding holding(BankQueries.BankSummary entry) {
        var bank = entry.bank();
        return new Holding(bank.name(), entry.permission(), entry.via(), entry.loaded(), bank.memories());
    }

    private Tool<CreateRequest, CreateResponse> create() {
        return Tool.named("MB_Create")
                .title("Create a memory bank")
                .description("Creates a memory bank that you own. Next: MB_Store, MB_Permissions.")
                .details("""
                        vx.access says who may read it without a permission: private or bank (only you), agent (your own agents), domain \
                        (agents that share a domain with yours) or public (the tenant). Its name is vx.name, else target.bank, else a generated one. target.agent, else the agent you \
                        are logged on as, gets the permission manage. MB_Permissions lets other agents in.""")
                .alsoCalled(
                        "a new collection of notes",
                        "start a knowledge base",
                        "a place for facts about a subject",
                        "new knowledge base",
                        "make a notebook",
                        "set up shared memory",
                        "start a collection",
                        "create storage",
                        "new vault")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfAgent.ACT)
                .effect(Effect.CREATES)
                .handledBy(CreateRequest.class, CreateResponse.class, (in, call) -> {
                    var vx = in.vx() == null ? new NewBank(null, null, null) : in.vx();
                    var manager = acting.agent(
                            call, in.target() == null ? null : in.target().agent());
                    var bank = insert(call, name(in.target(), vx), vx, manager);
                    return new CreateResponse(bank, bank.revision());
                });
    }

    private static @Nullable Name name(BankTargets.@Nullable Create target, NewBank vx) {
        return vx.name() != null || target == null ? vx.name() : target.bank();
    }

    private Bank insert(Call call, @Nullable Name name, NewBank vx, @Nullable Ref manager) {
        var access = vx.access() == null ? Access.PRIVATE : vx.access();
        if (name != null) {
            return banks.insert(call, name, vx.description(), access, manager)
                    .orElseThrow(() -> Problem.alreadyExists(
                            "bank", name.text(), "choose another name, or change that bank with MB_Update"));
        }
        while (true) {
            var made = banks.insert(call, generated(), vx.description(), access, manager);
            if (made.isPresent()) {
                return made.get();
            }
        }
    }

    private Name generated() {
        var name = new StringBuilder("bank-");
        random.ints(GENERATED, 0, BASE_36.length()).forEach(digit -> name.append(BASE_36.charAt(digit)));
        return Name.of(name.toString());
    }

    private Tool<UpdateRequest, UpdateResponse> update() {
        return Tool.named("MB_Update")
                .title("Change a memory bank")
                .description("""
                        Changes a memory bank's name, description or access. MB_Store changes memories.""")
                .details("""
                        vx.name is required: the present name keeps it, another one renames the bank. Requires the \
                        permission manage. The revision increases only if something changed.""")
                .alsoCalled(
                        "change who can see a bank",
                        "make a bank public or private",
                        "rename a collection",
                        "share a knowledge base with everyone",
                        "rename a bank",
                        "edit the knowledge base",
                        "make memory public")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.MANAGE)
                .effect(Effect.CHANGES)
                .example("vx.description", "What was seen at the shore, and when.")
                .handledBy(UpdateRequest.class, UpdateResponse.class, (in, call) -> {
                    var before =
                            banks.lock(call, in.target().bank(), call.context().self());
                    AccessCheck.require(BankAccess.missing(call, before));
                    IfRevision.check(in.ifRevision(), before.revision());
                    var vx = in.vx();
                    var change = new BankStore.BankChange(vx.name(), vx.description(), vx.access());
                    var bank = banks.update(call, before, change);
                    return new UpdateResponse(bank, bank.revision(), bank.revision() != before.revision());
                });
    }
}
