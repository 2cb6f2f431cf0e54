package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.context.Tags;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.kernel.text.TextLikeness;
import io.agentworkspace.engine.memory.banks.corrections.StillSaid;
import io.agentworkspace.engine.memory.banks.use.MemoryUse;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Memories in a bank: MB_Read, MB_Store. */
final class MemoryTools {
    private final BankStore banks;
    private final MemoryStore memories;
    private final MemoryQueries reads;
    private final ActingAgent acting;
    private final VectorSource vectors;
    private final Contexts contexts;
    private final SimilarStore similar;
    private final StillSaid stillSaid;

    public MemoryTools(
            BankStore banks,
            MemoryStore memories,
            MemoryQueries reads,
            ActingAgent acting,
            VectorSource vectors,
            Contexts contexts,
            SimilarStore similar,
            StillSaid stillSaid) {
        this.stillSaid = stillSaid;
        this.contexts = contexts;
        this.banks = banks;
        this.memories = memories;
        this.reads = reads;
        this.acting = acting;
        this.vectors = vectors;
        this.similar = similar;
    }

    /** What is made before the transaction. */
    private record Prepared(MemoryStore.MemoryDraft draft, TextLikeness likeness, StillSaid.Copies copies) {}

    record ReadOptions(
            @Doc("Only the memory of this name.") @Nullable MemoryName name,

            @Doc(value = "With all of these.", max = 20) @Nullable
            List<String> tags) {}

    record ReadRequest(
            @Doc("Which bank.") BankTargets.AuthorTarget target,

            @Doc("Which of its memories.") @Nullable ReadOptions vx,

            @Doc(value = "By id.", max = 36) @Nullable String id,

            @Doc("As of this time, at most 30 days ago.") @Nullable
            Instant asOf,

            @Doc(value = "Neither changed nor found since; none pinned, no corrections.", rare = true) @Nullable
            Instant unusedSince,

            @Doc("Which part.") @Nullable Page page) {}

    record ReadResponse(
            @Doc("The bank.") List<Bank> profile,
            @Doc("Its memories, newest first.") List<Memory> content,

            @Doc("How often searches returned those that were found.") @Nullable
            List<MemoryUse> use,

            @Doc(
                    "Give it as page.cursor for older memories, also after a short or empty page; absent when there are none.")
            @Nullable
            String nextCursor) {}

    record MemoryLabels(
            @Doc(value = "To read and replace it by; may be a path.", mayBeBlank = true) @Nullable
            MemoryName name,

            @Doc(value = "At most 20; omit to keep the old.", max = 20, mayBeBlank = true) @Nullable
            List<String> tags) {}

    record StoreRequest(
            @Doc("Into which bank, and by whom.") BankTargets.ActorTarget target,
            @Doc(value = "The text.", max = 64_000) String content,
            @Doc("What it is called.") @Nullable MemoryLabels vx,

            @Doc(value = "Ids of memories that it is based on.", max = 20, mayBeBlank = true) @Nullable
            List<String> derivedFrom,

            @Doc(value = "With vx.name: only if this is its revision; 0: only if new.", mayBeBlank = true) @Nullable
            Long ifRevision,

            @Doc(
                    value = "append: adds content as a new line to vx.name.",
                    oneOf = {"replace", "append"},
                    mayBeBlank = true)
            @Nullable
            String mode,

            @Doc(value = "Ids of what it replaces.", max = 20, eachMax = 36, orOne = true, mayBeBlank = true) @Nullable
            List<String> supersedes,

            @Doc(value = "Why it supersedes the other.", max = 2_000, mayBeBlank = true) @Nullable
            String reason,

            @Doc(value = "Hidden then, and deleted 30 days later.", mayBeBlank = true) @Nullable
            Instant expiresAt,

            @Doc(value = "MB_Load takes it first.", mayBeBlank = true) @Nullable
            Boolean pinned) {}

    record StoreResponse(
            @Doc("The memory as it is now.") Memory memory,
            @Doc("Its revision: 1 when it is new.") long revision,

            @Doc("Always true: each call stores a new memory or a new revision.")
            boolean changed,

            @Doc("true if it was stored but is hidden from every reader, because its author or the bank is censored.")
            @Nullable
            Boolean quarantined,

            @Doc("At most three memories of the bank with nearly the same text; absent if there are none.") @Nullable
            List<SimilarStore.Similar> similar,

            @Doc("With supersedes: at most ten current memories, of banks that you may write, that still say what"
                    + " was replaced; absent if there are none.")
            @Nullable
            List<StillSaid.Copy> stillSaid,

            @Doc("What to do about these memories.") @Nullable
            String note) {}

    public List<Tool<?, ?>> tools() {
        return List.of(read(), store());
    }

    private Tool<ReadRequest, ReadResponse> read() {
        return Tool.named("MB_Read")
                .title("Read a memory bank")
                .description("""
                    Reads a memory bank: its record, and its memories, newest first, or just the one named vx.name.\
                    """)
                .details("""
                    profile contains the record, content the memories, one page at a time. id selects the memory with that \
                    id, vx.tags those with all these tags, target.agent those that this agent stored. Superseded and \
                    expired memories are shown only by name or id. as_of shows an earlier moment. unused_since selects what no search has \
                    returned since then, use shows how often others were returned and, by name or id, to whom. Requires the \
                    permission read. MB_List shows the banks.\
                    """)
                .alsoCalled(
                        "show one memory",
                        "get the whole text of a note",
                        "list the notes of a bank",
                        "recall",
                        "look up a note",
                        "retrieve",
                        "what did i save",
                        "get a fact",
                        "open the notebook",
                        "show memories",
                        "which memories are never used",
                        "how often was a note found",
                        "fetch knowledge")
                .hints(Guide.Hint.WORK)
                .needs(Capability.BANK_READ)
                .on(Requirement.OfBank.READ)
                .handledBy(ReadRequest.class, ReadResponse.class, (in, call) -> {
                    var found = reads.read(call, in.target().bank(), filter(in), in.page());
                    return new ReadResponse(
                            List.of(found.bank()),
                            found.memories().rows(),
                            found.use().isEmpty() ? null : found.use(),
                            found.memories().nextCursor());
                });
    }

    private static MemoryQueries.MemoryFilter filter(ReadRequest in) {
        var vx = in.vx() == null ? new ReadOptions(null, null) : in.vx();
        if (vx.name() != null && in.id() != null) {
            throw Problem.invalid("id", "cannot be combined with vx.name: send one of them");
        }
        if (in.unusedSince() != null && (vx.name() != null || in.id() != null || in.asOf() != null)) {
            throw Problem.invalid("unused_since", "cannot be combined with vx.name, id or as_of");
        }
        var tags = Tags.checked(vx.tags());
        return new MemoryQueries.MemoryFilter(
                vx.name(),
                in.id() == null ? null : id(in.id()),
                tags == null ? List.of() : tags,
                in.target().agent(),
                in.asOf(),
                in.unusedSince());
    }

    private Tool<StoreRequest, StoreResponse> store() {
        return Tool.named("MB_Store")
                .title("Store a memory")
                .description("""
                    Stores what you learned and others will need as a memory in target.bank: one fact or decision in each. vx.name \
                    lets you find and replace it.\
                    """)
                .details("""
                    The author is target.agent, else the agent you are logged on as, else you. The memory is \
                    durable when the call returns. Requires the permission append. Storing under the same name \
                    replaces the text and increases the revision; to replace another author's memory requires \
                    write. if_revision makes sure that no other writer's text is lost; if it is stale, the refusal (3003) \
                    shows the present memory. The mode append adds to a text. supersedes corrects another memory: lists, \
                    search and MB_Load leave that one out; if another author wrote it, that requires write. It may name several; still_said \
                    lists other memories that say what was replaced. An expired \
                    memory is left out in the same way, and deleted 30 days later. derived_from names the \
                    memories that it was made from. If quarantined is true, the memory is kept but hidden.\
                    """)
                .alsoCalled(
                        "remember this",
                        "note a fact for later",
                        "keep in mind that",
                        "jot something down",
                        "correct a stored fact",
                        "learn that",
                        "remember",
                        "memorize",
                        "save a note",
                        "write down",
                        "keep a fact",
                        "learn",
                        "persist",
                        "take notes",
                        "record a decision",
                        "don't forget",
                        "log an insight")
                .hints(Guide.Hint.WORK, Guide.Hint.ALWAYS_LOAD)
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.APPEND, Requirement.OfAgent.ACT)
                .effect(Effect.CHANGES)
                .handledBy(StoreRequest.class, StoreResponse.class, this::prepared, this::store);
    }

    /**
     * Makes the vectors of the memory, for those who may store it. The model can be another server, so no lock and no connection
     * waits for it. The transaction checks again.
     */
    private Prepared prepared(StoreRequest in, Call call) {
        var draft = draft(in, call.now());
        var copies = StillSaid.Copies.NONE;
        if (vectors.isFreeFor(draft) || draft.supersedes() != null) {
            contexts.load(call);
            var actor = acting.agent(call, in.target().agent());
            var bank = banks.see(call, in.target().bank(), actor);
            AccessCheck.require(BankAccess.missing(call, bank));
            if (draft.supersedes() != null) {
                copies = stillSaid.of(
                        call,
                        new StillSaid.Correction(
                                in.target().bank(),
                                bank.id(),
                                draft.supersedes(),
                                draft.text(),
                                draft.append() ? draft.name() : null));
            }
        }
        return new Prepared(draft.with(vectors.atOnce(draft)), similar.likeness(draft.text()), copies);
    }

    private StoreResponse store(StoreRequest in, Prepared prepared, Call call) {
        var actor = acting.agent(call, in.target().agent());
        var author = actor == null ? call.context().user() : actor;
        var open = banks.readToWrite(call, in.target().bank(), actor, author);
        var bank = open.bank();
        AccessCheck.require(BankAccess.missing(call, bank));
        var censorship = open.censorship();
        var found = similar.find(call, bank.id(), prepared.likeness());
        var memory = new MemoryWrite(memories, call, bank, author, censorship.author())
                .store(prepared.draft().with(found.sketch()), in.ifRevision());
        var others = others(found.similar(), prepared.draft());
        var copies = prepared.copies().without(memory.id());
        return new StoreResponse(
                memory,
                memory.revision(),
                true,
                censorship.any() ? true : null,
                others.isEmpty() ? null : others,
                copies.found().isEmpty() ? null : copies.found(),
                copies.note().orElse(others.isEmpty() ? null : noteOn(others.getFirst(), memory)));
    }

    /** Returns what is similar besides the memory that the draft replaces or supersedes. */
    private static List<SimilarStore.Similar> others(List<SimilarStore.Similar> found, MemoryStore.MemoryDraft draft) {
        return found.stream()
                .filter(each -> draft.name() == null || !draft.name().text().equalsIgnoreCase(each.name()))
                .filter(each ->
                        draft.supersedes() == null || !draft.supersedes().contains(UUID.fromString(each.id())))
                .limit(SimilarStore.MOST)
                .toList();
    }

    private static String noteOn(SimilarStore.Similar first, Memory stored) {
        var replacing = first.name() == null
                ? "send supersedes: \"%s\" with a reason".formatted(first.id())
                : "use vx.name: \"%s\" (mode append adds to it), or supersedes: \"%s\" with a reason"
                        .formatted(first.name(), first.id());
        return "the bank already has nearly the same text. To change that memory instead, %s; MB_Delete with memory: \"%s\" removes this one"
                .formatted(replacing, stored.id());
    }

    private static MemoryStore.MemoryDraft draft(StoreRequest in, Instant now) {
        var vx = in.vx() == null ? new MemoryLabels(null, null) : in.vx();
        if (vx.name() == null && in.ifRevision() != null) {
            throw Problem.invalid("if_revision", "requires vx.name, the memory whose revision it is");
        }
        if (vx.name() == null && "append".equals(in.mode())) {
            throw Problem.invalid("mode", "append requires vx.name, the memory to append to");
        }
        if (in.reason() != null && in.supersedes() == null) {
            throw Problem.invalid("reason", "requires supersedes, the memory that is no longer right");
        }
        if (in.supersedes() != null && in.supersedes().isEmpty()) {
            throw Problem.invalid("supersedes", "must have at least one id; to replace nothing, leave it out");
        }
        if (in.expiresAt() != null && !in.expiresAt().isAfter(now)) {
            throw Problem.invalid("expires_at", "must be in the future; it is now %s".formatted(now));
        }
        return new MemoryStore.MemoryDraft(
                vx.name(),
                in.content(),
                "append".equals(in.mode()),
                Tags.checked(vx.tags()),
                ids(in.derivedFrom()),
                ids(in.supersedes()),
                in.reason(),
                in.expiresAt(),
                in.pinned(),
                null,
                null);
    }

    private static @Nullable List<UUID> ids(@Nullable List<String> texts) {
        return texts == null
                ? null
                : texts.stream().map(MemoryTools::id).distinct().toList();
    }

    private static UUID id(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw Problem.notFound("memory", text, List.of());
        }
    }
}
