package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.access.AccessCheck;
import io.agentworkspace.engine.context.Tags;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.bank.Bank;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.page.Page;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The memories in a bank: MB_Read, MB_Store. */
public final class MemoryTools {
    private final BankStore banks;
    private final MemoryStore memories;
    private final MemoryQueries reads;
    private final ActingAgent acting;

    public MemoryTools(BankStore banks, MemoryStore memories, MemoryQueries reads, ActingAgent acting) {
        this.banks = banks;
        this.memories = memories;
        this.reads = reads;
        this.acting = acting;
    }

    record Wanted(
            @Doc("Only the memory of this name.") @Nullable Name name,

            @Doc(value = "Only memories that carry all of these; of no effect together with a name.", max = 20)
            @Nullable
            List<String> tags) {}

    record Look(
            @Doc("Which bank.") BankTargets.Author target,

            @Doc("Which of its memories; all when left out.") @Nullable
            Wanted vx,

            @Doc("Which part.") @Nullable Page page) {}

    record Shown(
            @Doc("The bank.") List<Bank> profile,
            @Doc("Its memories, newest first.") List<Memory> content,

            @Doc("Give it as page.cursor for older memories; absent when there are none.") @Nullable
            String nextCursor) {}

    record Labels(
            @Doc("A name, under which it can be read and replaced; a memory may go without one.") @Nullable
            Name name,

            @Doc(
                    value = "At most 20 tags of 1–64 characters each; when replacing, the old ones stay if left out.",
                    max = 20)
            @Nullable
            List<String> tags) {}

    record Store(
            @Doc("Into which bank, and by whom.") BankTargets.Actor target,
            @Doc(value = "The text.", max = 64_000) String content,
            @Doc("What it is called.") @Nullable Labels vx,

            @Doc(
                    value =
                            "The ids of the memories of this bank that it was made from, at most 20. Whatever hides one of their"
                                    + " writers hides this memory too.",
                    max = 20)
            @Nullable
            List<String> derivedFrom,

            @Doc(
                    "Only with vx.name: store it only if this is still that memory's revision; 0 if there must be none yet.")
            @Nullable
            Long ifRevision) {}

    record Stored(
            @Doc("The memory as it is now.") Memory memory,
            @Doc("Its revision: 1 when it is new.") long revision,

            @Doc("Always true: each call stores a new memory or a new revision.")
            boolean changed,

            @Doc("true when it was stored but is hidden from every reader, since its author or the bank is censored.")
            @Nullable
            Boolean quarantined) {}

    public List<Tool<?, ?>> tools() {
        return List.of(read(), store());
    }

    private Tool<Look, Shown> read() {
        return Tool.named("MB_Read")
                .title("Read a memory bank")
                .description("""
                        Reads a memory bank: its record in profile, its memories in content, newest first, a page at a time. \
                        vx.name gives just the memory of that name, vx.tags those that carry all these tags, target.agent those \
                        that this agent stored. Needs target.bank and the permission read. MB_List tells which banks there are.""")
                .needs(Capability.BANK_READ)
                .on(Requirement.OfBank.READ)
                .handledBy(Look.class, Shown.class, (in, call) -> {
                    var vx = in.vx() == null ? new Wanted(null, null) : in.vx();
                    var tags = Tags.checked(vx.tags());
                    var wanted = new MemoryQueries.Wanted(
                            vx.name(),
                            tags == null ? List.of() : tags,
                            in.target().agent());
                    var found = reads.read(call, in.target().bank(), wanted, in.page());
                    return new Shown(
                            List.of(found.bank()),
                            found.memories().rows(),
                            found.memories().nextCursor());
                });
    }

    private Tool<Store, Stored> store() {
        return Tool.named("MB_Store")
                .title("Store a memory")
                .description("""
                        Stores content as a memory in target.bank, by target.agent, else the agent you are logged on as, else you; \
                        durable when it answers. Needs the permission append. With vx.name the memory can be found again, and the \
                        same name replaces its text with a new revision (somebody else's: needs write); give if_revision so that \
                        no other writer's text is lost. Say in derived_from what it was made from. Answers the memory with its id \
                        and revision; quarantined: true means that it is kept but hidden. Next: MB_Read.""")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.APPEND, Requirement.OfAgent.ACT)
                .effect(Effect.CHANGES)
                .handledBy(Store.class, Stored.class, (in, call) -> {
                    var draft = draft(in);
                    var actor = acting.agent(call, in.target().agent());
                    var bank = banks.read(call, in.target().bank(), actor);
                    AccessCheck.require(BankAccess.missing(call, bank));
                    var author = actor == null ? call.context().user() : actor;
                    var censorship = memories.censorship(call, bank, author);
                    var memory = new MemoryWrite(memories, call, bank, author, censorship.author())
                            .store(draft, in.ifRevision());
                    return new Stored(memory, memory.revision(), true, censorship.any() ? true : null);
                });
    }

    private static MemoryStore.Draft draft(Store in) {
        var vx = in.vx() == null ? new Labels(null, null) : in.vx();
        if (vx.name() == null && in.ifRevision() != null) {
            throw Problem.invalid("if_revision", "has a meaning only with vx.name, which says whose revision it is");
        }
        var origins = in.derivedFrom() == null
                ? null
                : in.derivedFrom().stream().map(MemoryTools::id).distinct().toList();
        return new MemoryStore.Draft(vx.name(), in.content(), Tags.checked(vx.tags()), origins);
    }

    private static UUID id(String given) {
        try {
            return UUID.fromString(given);
        } catch (IllegalArgumentException e) {
            throw Problem.notFound("memory", given, List.of());
        }
    }
}
