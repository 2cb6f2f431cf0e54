package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.memory.banks.MemoryStore.MemoryDraft;
import io.agentworkspace.engine.memory.banks.MemoryStore.NameHolder;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.event.EventData.MemoryStored;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes one text into a bank: a new memory, or the new text of the memory that holds its name. Hidden and visible
 * content stay apart. A censored author does not change a memory that readers see, and a name that a hidden memory
 * holds is free for everyone else.
 */
public final class MemoryWrite {
    private final MemoryStore memories;
    private final Call call;
    private final BankStore.LockedBank bank;
    private final Ref author;
    private final boolean censored;

    /** @param censored whether the author is censored in this bank */
    public MemoryWrite(MemoryStore memories, Call call, BankStore.LockedBank bank, Ref author, boolean censored) {
        this.memories = memories;
        this.call = call;
        this.bank = bank;
        this.author = author;
        this.censored = censored;
    }

    /** @param ifRevision the revision that the memory with this name must have, 0 if there must be none */
    Memory store(MemoryDraft draft, @Nullable Long ifRevision) {
        var old = draft.supersedes() == null ? List.<UUID>of() : draft.supersedes();
        if (!old.isEmpty()) {
            checkSuperseded(old);
        }
        var stored = draft.name() == null
                ? stored(memories.insertUnnamed(call, bank, author, draft, contributors(draft)))
                : store(draft, draft.name(), ifRevision);
        if (old.isEmpty()) {
            return stored;
        }
        if (old.contains(UUID.fromString(stored.id()))) {
            throw Problem.invalid("supersedes", "is the same memory: to replace its text, leave supersedes out");
        }
        memories.supersede(call, bank, old, stored.id());
        return stored.superseding(all(old));
    }

    /** Reports the memory to webhooks and the feed, unless it is hidden. */
    private Memory stored(Memory memory) {
        if (!censored) {
            call.emit(
                    EventType.MEMORY_STORED,
                    new MemoryStored(
                            bank.name(),
                            UUID.fromString(memory.id()),
                            memory.name(),
                            memory.author(),
                            memory.revision()));
        }
        return memory;
    }

    /** Returns the ids as a reader sees them: the first one first, the others in their own order. */
    private static List<String> all(List<UUID> ids) {
        var others = ids.stream().skip(1).map(UUID::toString).sorted();
        return Stream.concat(ids.stream().limit(1).map(UUID::toString), others).toList();
    }

    /** Checks the superseded memories. Superseding somebody else's memory requires the same permission as replacing it. */
    private void checkSuperseded(List<UUID> ids) {
        for (var old : memories.superseded(call, bank, ids)) {
            if (old.author() != author.id()) {
                bank.permission().require(Permission.WRITE);
            }
            if (old.superseder() != null) {
                throw Problem.conflict(
                        "the memory '%s' is superseded already, by '%s': read that one, and supersede it if need be"
                                .formatted(old.id(), old.superseder()));
            }
        }
    }

    private Memory store(MemoryDraft draft, MemoryName name, @Nullable Long ifRevision) {
        return edit(name, holder -> {
            check(ifRevision, holder);
            checkLength(draft, holder);
            return draft;
        });
    }

    /**
     * Stores the result of the edit for the memory with this name.
     *
     * @param edit gets the locked memory that the author sees under that name, or null if there is none
     */
    public Memory edit(MemoryName name, Function<@Nullable NameHolder, MemoryDraft> edit) {
        while (true) {
            var stored = attempt(name, edit);
            if (stored.isPresent()) {
                return stored(stored.get());
            }
            // A concurrent call took the name; the next look-up finds its memory.
        }
    }

    private Optional<Memory> attempt(MemoryName name, Function<@Nullable NameHolder, MemoryDraft> edit) {
        var holder = memories.holder(call, bank, name).orElse(null);
        var visible = holder != null && isKnown(holder) ? holder : null;
        var draft = edit.apply(visible);
        if (visible != null && visible.author() != author.id()) {
            bank.permission().require(Permission.WRITE);
        }
        if (visible != null && (visible.hidden() || !censored)) {
            return Optional.of(memories.replace(call, bank, author, visible, draft, contributors(draft)));
        }
        if (holder != null && !censored) {
            memories.release(call, bank, holder);
        }
        return insert(draft, holder == null || !censored);
    }

    /** Checks the revision. The refusal contains the current memory, so the caller need not read it again. */
    private void check(@Nullable Long ifRevision, @Nullable NameHolder holder) {
        var current = holder == null ? 0 : holder.revision();
        if (ifRevision == null || ifRevision == current) {
            return;
        }
        var stale = Problem.staleRevision(ifRevision, current);
        throw holder == null
                ? stale
                : stale.with(
                        "memory",
                        call.budget()
                                .fit(List.of(memories.read(call, bank, holder.id())))
                                .getFirst());
    }

    private static void checkLength(MemoryDraft draft, @Nullable NameHolder holder) {
        if (holder == null) {
            return;
        }
        var text = draft.text();
        var together = holder.length() + 1 + text.codePointCount(0, text.length());
        if (draft.append() && together > Limits.CONTENT) {
            throw Problem.tooLarge("the memory with content appended", together, Limits.CONTENT, "characters");
        }
    }

    /**
     * Returns whether the author sees the memory. A hidden memory counts as missing, except for its own censored author.
     */
    private boolean isKnown(NameHolder holder) {
        return !holder.hidden() || (censored && holder.author() == author.id());
    }

    private Optional<Memory> insert(MemoryDraft draft, boolean holdsName) {
        return memories.insert(call, bank, author, draft, contributors(draft), holdsName);
    }

    private List<Long> contributors(MemoryDraft draft) {
        var origins = draft.origins() == null ? List.<Long>of() : memories.contributors(call, bank, draft.origins());
        return Stream.concat(Stream.of(author.id()), origins.stream())
                .distinct()
                .toList();
    }
}
