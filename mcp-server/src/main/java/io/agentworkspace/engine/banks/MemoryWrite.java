package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.banks.MemoryStore.Draft;
import io.agentworkspace.engine.banks.MemoryStore.Holder;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.bank.Memory;
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
 * One text on its way into a bank: a new memory, or the new text of the one that holds its name. What is hidden and what is
 * shown do not touch: a censored author leaves a memory that readers see as it is, and a name that a hidden memory holds
 * is free to everyone else.
 */
public final class MemoryWrite {
    private final MemoryStore memories;
    private final Call call;
    private final BankStore.Held bank;
    private final Ref author;
    private final boolean censored;

    /** @param censored whether the author is censored in this bank */
    public MemoryWrite(MemoryStore memories, Call call, BankStore.Held bank, Ref author, boolean censored) {
        this.memories = memories;
        this.call = call;
        this.bank = bank;
        this.author = author;
        this.censored = censored;
    }

    /** @param ifRevision the revision that the memory of this name must have, 0 when there must be none */
    Memory store(Draft draft, @Nullable Long ifRevision) {
        var old = draft.supersedes() == null ? null : superseded(draft.supersedes());
        var stored = draft.name() == null ? insert(draft, false).orElseThrow() : store(draft, draft.name(), ifRevision);
        if (old != null) {
            if (stored.id().equals(old.id().toString())) {
                throw Problem.invalid(
                        "supersedes", "is the memory of that name itself: to replace its text leave supersedes out");
            }
            memories.supersede(call, bank, old, stored.id());
        }
        return stored;
    }

    /** Taking the place of somebody else's memory is the same as replacing it. */
    private MemoryStore.Superseded superseded(UUID id) {
        var old = memories.superseded(call, bank, id);
        if (old.author() != author.id()) {
            bank.permission().require(Permission.WRITE);
        }
        if (old.superseder() != null) {
            throw Problem.conflict(
                    "the memory '%s' is superseded already, by '%s': read that one, and supersede it if need be"
                            .formatted(id, old.superseder()));
        }
        return old;
    }

    private Memory store(Draft draft, MemoryName name, @Nullable Long ifRevision) {
        return edit(name, known -> {
            check(ifRevision, known);
            checkLength(draft, known);
            return draft;
        });
    }

    /**
     * Stores what the edit makes of the memory of this name.
     *
     * @param edit makes it of the memory that the author knows under that name, which is locked, or of null if there is none
     */
    public Memory edit(MemoryName name, Function<@Nullable Holder, Draft> edit) {
        while (true) {
            var stored = attempt(name, edit);
            if (stored.isPresent()) {
                return stored.get();
            }
            // Somebody else took the name between the look and the insertion; the next look finds theirs.
        }
    }

    private Optional<Memory> attempt(MemoryName name, Function<@Nullable Holder, Draft> edit) {
        var holder = memories.holder(call, bank, name).orElse(null);
        var known = holder != null && isKnown(holder) ? holder : null;
        var draft = edit.apply(known);
        if (known != null && known.author() != author.id()) {
            bank.permission().require(Permission.WRITE);
        }
        if (known != null && (known.hidden() || !censored)) {
            return Optional.of(memories.replace(call, bank, author, known, draft, contributors(draft)));
        }
        if (holder != null && !censored) {
            memories.release(call, bank, holder);
        }
        return insert(draft, holder == null || !censored);
    }

    /** Whoever is refused decides anew by what is there now, and need not read it again. */
    private void check(@Nullable Long ifRevision, @Nullable Holder known) {
        var current = known == null ? 0 : known.revision();
        if (ifRevision == null || ifRevision == current) {
            return;
        }
        var stale = Problem.staleRevision(ifRevision, current);
        throw known == null
                ? stale
                : stale.with(
                        "memory",
                        call.budget()
                                .fit(List.of(memories.read(call, bank, known.id())))
                                .getFirst());
    }

    private static void checkLength(Draft draft, @Nullable Holder known) {
        if (known == null) {
            return;
        }
        var text = draft.text();
        var together = known.length() + 1 + text.codePointCount(0, text.length());
        if (draft.append() && together > Limits.CONTENT) {
            throw Problem.tooLarge("the memory with content appended", together, Limits.CONTENT, "characters");
        }
    }

    /** A hidden memory is as if it were not there, save for its own censored author, who goes on writing it. */
    private boolean isKnown(Holder holder) {
        return !holder.hidden() || (censored && holder.author() == author.id());
    }

    private Optional<Memory> insert(Draft draft, boolean holdsName) {
        return memories.insert(call, bank, author, draft, contributors(draft), holdsName);
    }

    private List<Long> contributors(Draft draft) {
        var origins = draft.origins() == null ? List.<Long>of() : memories.contributors(call, bank, draft.origins());
        return Stream.concat(Stream.of(author.id()), origins.stream())
                .distinct()
                .toList();
    }
}
