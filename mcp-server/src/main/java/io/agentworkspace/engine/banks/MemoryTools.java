package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.access.AccessCheck;
import io.agentworkspace.engine.context.Tags;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.bank.Bank;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.page.Page;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Instant;
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
            @Doc("Only the memory of this name.") @Nullable MemoryName name,

            @Doc(value = "Only memories that carry all of these; of no effect together with a name.", max = 20)
            @Nullable
            List<String> tags) {}

    record Look(
            @Doc("Which bank.") BankTargets.Author target,

            @Doc("Which of its memories; all when left out.") @Nullable
            Wanted vx,

            @Doc(value = "Only the memory with this id.", max = 36) @Nullable
            String id,

            @Doc("As it was at this time, at most 30 days ago; without what is deleted or censored by now.") @Nullable
            Instant asOf,

            @Doc("Which part.") @Nullable Page page) {}

    record Shown(
            @Doc("The bank.") List<Bank> profile,
            @Doc("Its memories, newest first.") List<Memory> content,

            @Doc("Give it as page.cursor for older memories; absent when there are none.") @Nullable
            String nextCursor) {}

    record Labels(
            @Doc(
                    "A name or path, like plans/today.md, under which it can be read and replaced; a memory may go without one.")
            @Nullable
            MemoryName name,

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
                    "Only with vx.name: store it only if this is still that memory's revision; 0 if there must be none yet. Else the"
                            + " refusal (3003) shows that memory.")
            @Nullable
            Long ifRevision,

            @Doc(
                    value = "With vx.name: append adds content as a new line instead of replacing the text.",
                    oneOf = {"replace", "append"})
            @Nullable
            String mode,

            @Doc(
                    value =
                            "The id of a memory of this bank that this one corrects: lists, search and MB_Load leave that out. Somebody"
                                    + " else's: needs write.",
                    max = 36)
            @Nullable
            String supersedes,

            @Doc(value = "Why it supersedes that.", max = 2_000) @Nullable
            String reason,

            @Doc("From then on lists, search and MB_Load leave it out; 30 days later it is gone.") @Nullable
            Instant expiresAt,

            @Doc("Whether MB_Load takes it first.") @Nullable
            Boolean pinned) {}

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
                        vx.name gives just the memory of that name, id the one with that id, vx.tags those that carry all these tags, \
                        target.agent those that this agent stored. Superseded and expired memories are shown only by name or id. \
                        as_of shows an earlier moment. Needs target.bank and the permission read. MB_List tells which banks there are.""")
                .needs(Capability.BANK_READ)
                .on(Requirement.OfBank.READ)
                .handledBy(Look.class, Shown.class, (in, call) -> {
                    var found = reads.read(call, in.target().bank(), wanted(in), in.page());
                    return new Shown(
                            List.of(found.bank()),
                            found.memories().rows(),
                            found.memories().nextCursor());
                });
    }

    private static MemoryQueries.Wanted wanted(Look in) {
        var vx = in.vx() == null ? new Wanted(null, null) : in.vx();
        if (vx.name() != null && in.id() != null) {
            throw Problem.invalid("id", "cannot be given together with vx.name: either of them says which memory");
        }
        var tags = Tags.checked(vx.tags());
        return new MemoryQueries.Wanted(
                vx.name(),
                in.id() == null ? null : id(in.id()),
                tags == null ? List.of() : tags,
                in.target().agent(),
                in.asOf());
    }

    private Tool<Store, Stored> store() {
        return Tool.named("MB_Store")
                .title("Store a memory")
                .description("""
                        Stores content as a memory in target.bank, by target.agent, else the agent you are logged on as, else you; \
                        durable when it answers. Needs the permission append. With vx.name the memory can be found again, and the \
                        same name replaces its text with a new revision (somebody else's: needs write); give if_revision so that \
                        no other writer's text is lost, or mode append to add to it. Say in derived_from what it was made from. To \
                        correct a memory, name the wrong one in supersedes. Answers the memory with its id and revision; quarantined: true means that it is kept but hidden. Next: MB_Read.""")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.APPEND, Requirement.OfAgent.ACT)
                .effect(Effect.CHANGES)
                .handledBy(Store.class, Stored.class, (in, call) -> {
                    var draft = draft(in, call.now());
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

    private static MemoryStore.Draft draft(Store in, Instant now) {
        var vx = in.vx() == null ? new Labels(null, null) : in.vx();
        if (vx.name() == null && in.ifRevision() != null) {
            throw Problem.invalid("if_revision", "has a meaning only with vx.name, which says whose revision it is");
        }
        if (vx.name() == null && "append".equals(in.mode())) {
            throw Problem.invalid("mode", "append has a meaning only with vx.name, which says what to append to");
        }
        if (in.reason() != null && in.supersedes() == null) {
            throw Problem.invalid("reason", "has a meaning only with supersedes, which says what is no longer right");
        }
        if (in.expiresAt() != null && !in.expiresAt().isAfter(now)) {
            throw Problem.invalid("expires_at", "must be in the future; it is now %s".formatted(now));
        }
        var origins = in.derivedFrom() == null
                ? null
                : in.derivedFrom().stream().map(MemoryTools::id).distinct().toList();
        return new MemoryStore.Draft(
                vx.name(),
                in.content(),
                "append".equals(in.mode()),
                Tags.checked(vx.tags()),
                origins,
                in.supersedes() == null ? null : id(in.supersedes()),
                in.reason(),
                in.expiresAt(),
                in.pinned());
    }

    private static UUID id(String given) {
        try {
            return UUID.fromString(given);
        } catch (IllegalArgumentException e) {
            throw Problem.notFound("memory", given, List.of());
        }
    }
}
