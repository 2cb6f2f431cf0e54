package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.MemoryStore;
import io.agentworkspace.engine.memory.banks.MemoryWrite;
import io.agentworkspace.engine.memory.banks.transfer.ExportQueries.StoredSource;
import io.agentworkspace.engine.memory.banks.transfer.ImportStore.ImportedSource;
import io.agentworkspace.engine.memory.banks.transfer.ImportStore.KnownMemory;
import io.agentworkspace.engine.memory.banks.transfer.ImportStore.LineRow;
import io.agentworkspace.engine.memory.banks.transfer.ImportStore.NameHolder;
import io.agentworkspace.engine.memory.banks.transfer.exported.MemoryLine;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The lines of one transaction. A line that cannot be stored is refused, and the others are stored. */
final class ImportBatch {
    private final ImportTool.Stores stores;
    private final Call call;
    private final BankStore.LockedBank bank;
    private final Ref actor;
    private final boolean censored;
    private final boolean isPreview;
    private final ImportReport report;
    private final Map<String, KnownMemory> memories = new HashMap<>();
    private final Map<String, NameHolder> holders = new HashMap<>();
    private final Map<String, LineRow> added = new LinkedHashMap<>();
    private final List<LineRow> former = new ArrayList<>();
    private final List<String> released = new ArrayList<>();
    private final List<ImportLine> replacing = new ArrayList<>();
    private final List<ImportLine> expiring = new ArrayList<>();
    private Optional<ImportAuthors> authors = Optional.empty();

    /**
     * @param actor who imports
     * @param censored whether what the actor stores in this bank is hidden
     */
    ImportBatch(
            ImportTool.Stores stores,
            Call call,
            BankStore.LockedBank bank,
            Ref actor,
            boolean censored,
            boolean isPreview,
            ImportReport report) {
        this.stores = stores;
        this.call = call;
        this.bank = bank;
        this.actor = actor;
        this.censored = censored;
        this.isPreview = isPreview;
        this.report = report;
    }

    void store(List<ImportLine> lines) {
        lookUp(lines);
        for (var line : lines) {
            attempt(line, line.isFormer() ? this::takeFormer : this::take);
        }
        if (isPreview) {
            report.stored += added.size();
            report.revisions += former.size();
            report.replaced += replacing.size() + expiring.size();
            return;
        }
        stores.imports().release(call, bank, released);
        var stored = stores.imports().insert(call, bank, List.copyOf(added.values()));
        report.stored += stored.size();
        report.unchanged += added.size() - stored.size();
        var isNew = stores.imports().insertFormer(call, bank, former);
        report.revisions += isNew;
        report.unchanged += former.size() - isNew;
        replacing.forEach(line -> attempt(line, this::replace));
        expiring.forEach(line -> {
            stores.imports()
                    .mark(
                            call,
                            bank,
                            UUID.fromString(line.id()),
                            null,
                            line.line().expiresAt());
            report.replaced++;
        });
    }

    private void lookUp(List<ImportLine> lines) {
        var ids = new HashSet<String>();
        lines.forEach(line -> {
            ids.add(line.id());
            ids.addAll(ImportLine.origins(line.line()));
            if (line.line().supersededBy() != null) {
                ids.add(line.line().supersededBy());
            }
        });
        memories.putAll(stores.imports().memories(call, bank, ids));
        var keys = lines.stream()
                .filter(line -> !line.isFormer())
                .flatMap(line -> Stream.of(
                        line.key(),
                        line.otherName() == null ? null : line.otherName().key()))
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        holders.putAll(stores.imports().holders(call, bank, keys));
        var people = lines.stream().flatMap(line -> line.people().stream()).collect(Collectors.toSet());
        authors = Optional.of(new ImportAuthors(stores.imports(), call, people));
    }

    @FunctionalInterface
    private interface Step {
        void run(ImportLine line);
    }

    private void attempt(ImportLine line, Step step) {
        try {
            step.run(line);
        } catch (Problem problem) {
            report.refuse(line.number(), problem.note());
        }
    }

    private void take(ImportLine line) {
        var old = memories.get(line.id());
        if (old != null || added.containsKey(line.id())) {
            checkSame(line.line(), old);
            takeExpiry(line, old);
            return;
        }
        var held = line.key() == null ? null : holders.get(line.key());
        var other = line.otherName();
        if (other != null && held != null && held.isReadable() && !Objects.equals(held.product(), line.product())) {
            store(line.named(other)); // What the bank has under this name is not of this product.
        } else {
            store(line);
        }
    }

    private void store(ImportLine line) {
        var key = censored ? null : line.key();
        var holder = key == null ? null : holders.get(key);
        if (holder != null && holder.isReadable()) {
            takeNamed(line, holder);
            return;
        }
        checkSuperseder(line.line());
        checkRules(line.line());
        if (holder != null) {
            released.add(holder.id().toString());
        }
        var row = row(line.line(), key);
        added.put(line.id(), row);
        if (key != null) {
            holders.put(key, new NameHolder(UUID.fromString(line.id()), row.text(), true, line.product()));
        }
        show(line.line());
    }

    /** Another export of a known memory may say when it expires. */
    private void takeExpiry(ImportLine line, @Nullable KnownMemory old) {
        var expiry = line.line().expiresAt();
        var known = old == null ? null : old.expiresAt();
        var isSame = known != null && expiry != null && known.toEpochMilli() == expiry.toEpochMilli();
        if (old == null || !line.replaces() || expiry == null || isSame) {
            report.unchanged++;
            return;
        }
        if (old.author() != actor.id()) {
            bank.permission().require(Permission.WRITE);
        }
        checkRules(line.line());
        expiring.add(line);
        show(line.line());
    }

    /** Refuses a line with another state of a memory than the bank's, which might be lost. */
    private void checkSame(MemoryLine line, @Nullable KnownMemory old) {
        if (old == null) {
            return; // An earlier line of the file.
        }
        if (!old.isReadable()) {
            throw Problem.conflict(
                    "the bank has this memory, but in the trash or hidden: MB_Restore takes it out of the trash");
        }
        if (old.revision() < line.revision()
                || old.revision() == line.revision() && !old.text().equals(line.text())) {
            throw Problem.conflict(
                    "the bank has another text or an older revision (%d) of this memory: import into another bank, or delete that one for good first"
                            .formatted(old.revision()));
        }
    }

    private void takeNamed(ImportLine line, NameHolder holder) {
        if (line.replaces() && holder.text().equals(line.line().text())) {
            report.unchanged++;
        } else if (!line.replaces()) {
            throw Problem.conflict("another memory of the bank has the name '%s': rename or delete it first"
                    .formatted(Objects.requireNonNull(line.line().name()).text()));
        } else if (added.containsKey(holder.id().toString())) {
            throw Problem.conflict("an earlier line has the name '%s' and another text"
                    .formatted(Objects.requireNonNull(line.line().name()).text()));
        } else {
            checkRules(line.line());
            replacing.add(line);
            show(line.line());
        }
    }

    /** Otherwise a memory of another would correct what somebody says who may only add. */
    private void checkSuperseder(MemoryLine line) {
        var superseder = line.supersededBy() == null ? null : memories.get(line.supersededBy());
        if (superseder != null
                && superseder.author() != actor.id()
                && !authors.orElseThrow().has(superseder.author())) {
            bank.permission().require(Permission.WRITE);
        }
    }

    private void show(MemoryLine line) {
        var name = line.name() == null ? null : line.name().text();
        report.show(name, line.text(), line.author().isEmpty() ? actor.name() : line.author(), line.createdAt());
    }

    private void replace(ImportLine line) {
        var tags = line.line().tags().isEmpty() ? null : line.line().tags();
        var name = Objects.requireNonNull(line.line().name());
        var stored = new MemoryWrite(stores.memories(), call, bank, actor, censored)
                .edit(name, _ -> draft(name, line.line().text(), tags));
        if (line.product() != null) {
            var source = source(line.line(), found(line.line().author()).isPresent(), true);
            stores.imports()
                    .mark(
                            call,
                            bank,
                            UUID.fromString(stored.id()),
                            source,
                            line.line().expiresAt());
        }
        report.replaced++;
    }

    private static MemoryStore.MemoryDraft draft(MemoryName name, String text, @Nullable List<String> tags) {
        return new MemoryStore.MemoryDraft(name, text, false, tags, null, null, null, null, null, null, null);
    }

    /** A line does what MB_Store does, so the rules of MB_Store hold for it. */
    private void checkRules(MemoryLine line) {
        stores.rules().check(call, bank.name(), line);
    }

    private void takeFormer(ImportLine line) {
        var old = memories.get(line.id());
        var row = added.get(line.id());
        if (row == null && (old == null || !old.isReadable())) {
            throw Problem.invalid("id", "belongs to no memory of the bank: the line of the memory must come first");
        }
        var current = row == null ? Objects.requireNonNull(old).revision() : row.revision();
        if (line.line().revision() >= current) {
            throw Problem.invalid(
                    "revision", "must be less than that of the memory, %d, for a former revision".formatted(current));
        }
        if (row == null && Objects.requireNonNull(old).author() != actor.id()) {
            bank.permission().require(Permission.WRITE);
        }
        checkRules(line.line());
        former.add(row(line.line(), line.key()));
    }

    private LineRow row(MemoryLine line, @Nullable String key) {
        var author = line.author().isEmpty() ? Optional.of(actor) : found(line.author());
        var editor = line.editor() == null ? Optional.<Ref>empty() : found(line.editor());
        var source = source(line, author.isPresent(), line.editor() == null || editor.isPresent());
        var isImport = source != null && source.kind().equals(StoredSource.IMPORT);
        var writer = author.orElse(actor).id();
        var editorId = isImport || editor.isEmpty() ? null : (Long) editor.get().id();
        return new LineRow(
                line.id(),
                line.revision(),
                line.name() == null ? null : line.name().text(),
                key,
                line.text(),
                line.tags(),
                writer,
                editorId,
                contributors(line, writer, editor.map(Ref::id).orElse(null)),
                ImportLine.origins(line),
                source,
                line.supersedes(),
                line.reason(),
                line.supersededBy(),
                line.supersededAt(),
                line.expiresAt(),
                Boolean.TRUE.equals(line.pinned()),
                line.createdAt(),
                line.updatedAt(),
                line.replacedAt());
    }

    private Optional<Ref> found(String name) {
        return authors.orElseThrow().find(name);
    }

    /** Only who manages the bank can say that a memory comes from a document. */
    private @Nullable ImportedSource source(MemoryLine line, boolean hasAuthor, boolean hasEditor) {
        var document = line.document();
        var isTrusted = document == null || bank.permission().level() == Permission.MANAGE;
        if (hasAuthor && hasEditor && isTrusted && line.origin() == null) {
            return document == null
                    ? null
                    : new ImportedSource(
                            "document", document.name(), document.version(), document.position(), null, null, null);
        }
        var product = line.origin() == null
                ? actor.name()
                : line.origin().path("product").asString(actor.name());
        var name = line.author().isEmpty() ? product : line.author();
        return new ImportedSource(StoredSource.IMPORT, name, null, null, line.editor(), document, line.origin());
    }

    private LinkedHashSet<Long> contributors(MemoryLine line, long author, @Nullable Long editor) {
        var all = new LinkedHashSet<Long>();
        all.add(author);
        if (editor != null) {
            all.add(editor);
        }
        if (censored) {
            all.add(actor.id());
        }
        for (var origin : ImportLine.origins(line)) {
            var row = added.get(origin);
            var old = memories.get(origin);
            all.addAll(row != null ? row.contributors() : old != null ? old.contributors() : List.of());
        }
        return all;
    }
}
