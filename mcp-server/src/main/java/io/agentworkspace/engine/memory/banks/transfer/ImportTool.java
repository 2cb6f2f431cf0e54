package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.memory.banks.ActingAgent;
import io.agentworkspace.engine.memory.banks.BankAccess;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.MemoryStore;
import io.agentworkspace.engine.memory.banks.transfer.formats.CsvMapping;
import io.agentworkspace.engine.memory.banks.transfer.formats.Formats;
import io.agentworkspace.engine.memory.banks.transfer.formats.Reasons;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Imports memories: MB_Import. A call stores the lines of one transaction; {@link ImportRunner} divides longer imports. */
final class ImportTool {
    static final String NAME = "MB_Import";
    static final String ENGINE = "engine";
    static final String MARKDOWN = "markdown";
    static final String JSONL = "jsonl";

    /** The maximum length of the lines of one call: 500 lines, or fewer long ones. */
    static final int MOST_CHARACTERS = 4_000_000;

    private final BankStore banks;
    private final ActingAgent acting;
    private final Stores stores;

    /** What an import needs to store a line. */
    public record Stores(ImportStore imports, MemoryStore memories, StoreRules rules) {}

    public ImportTool(BankStore banks, ActingAgent acting, Stores stores) {
        this.banks = banks;
        this.acting = acting;
        this.stores = stores;
    }

    record Target(
            @Doc("The memory bank's name.") Name bank,

            @Doc("The author of lines that name none or one that you may not act as. Default: self, else you.")
            @Nullable
            Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record ImportRequest(
            @Doc("Into which bank, and by whom.") Target target,

            @Doc(
                    value = "auto: recognised by its shape. engine: lines of MB_Export. jsonl: in each line an object"
                            + " with text, and perhaps name, author, tags, created_at. markdown: a text, or a"
                            + " folder as zip. The others: what that product exports.",
                    oneOf = {
                        Formats.AUTO,
                        ENGINE,
                        MARKDOWN,
                        JSONL,
                        "chatgpt",
                        "claude",
                        "gemini",
                        "mem0",
                        "zep",
                        "letta",
                        "basic-memory",
                        "obsidian",
                        "memory-server",
                        "csv"
                    })
            String format,

            @Doc(
                    value = "The lines or the text; a zip in base64. Larger ones: over REST as multipart/form-data.",
                    max = MOST_CHARACTERS,
                    verbatim = true,
                    mayBeBlank = true)
            @Nullable
            String data,

            @Doc("true: only show what was recognised, and what would be stored.") @Nullable
            Boolean dryRun,

            @Doc(
                    value = "csv: which columns have the fields of a memory. Default: found by their usual names.",
                    rare = true)
            @Nullable
            CsvMapping mapping,

            @Doc(
                    value = "The number of the first line, for the report. Default: 1.",
                    min = 1,
                    mayBeBlank = true,
                    rare = true)
            @Nullable
            Long firstLine) {}

    record ImportResponse(
            @Doc("How many lines or sections there were, without empty ones.")
            long lines,

            @Doc("How many new memories were stored.") long stored,
            @Doc("How many memories got a new text.") long replaced,
            @Doc("How many former revisions were stored.") long revisions,
            @Doc("How many the bank had already.") long unchanged,
            @Doc("How many were refused.") long refused,

            @Doc("The first 100 refused lines of engine, jsonl and markdown, each with what was wrong.")
            List<ImportReport.RefusedLine> refusals,

            @Doc("Why entries were refused, with how many and the first one.")
            List<Reasons.Reason> reasons,

            @Doc("What was left out on purpose, such as messages of the system.") @Nullable
            List<Reasons.Reason> leftOut,

            @Doc("The format that was recognised.") @Nullable
            String recognised,

            @Doc("What became of conversations, which are documents that are loaded into the bank; absent if there"
                    + " are none.")
            ImportReport.@Nullable DocumentCounts documents,

            @Doc("Whether everything is in the bank: nothing was refused, and nothing waits.")
            boolean complete,

            @Doc("The result in a sentence.") @Nullable String summary,

            @Doc("With dry_run: the first ten memories that would be stored.") @Nullable
            List<ImportReport.PreviewedMemory> preview,

            @Doc("Whether anything was stored.") boolean changed) {}

    public Tool<?, ?> importing() {
        return Tool.named(NAME)
                .title("Import memories")
                .description("""
                    Imports memories into a bank: an export of MB_Export, of ChatGPT, Claude, mem0, Zep, Letta and others, notes as Markdown, JSON lines or CSV. The same import twice changes nothing.\
                    """)
                .details("""
                    engine keeps ids, names, authors, dates, lineage and revisions. markdown stores one memory for each section, \
                    named by file and headings; a changed section replaces its memory. auto recognises the exports of other products; \
                    their conversations become documents (document:write and document:read), which everybody with document:read can read, and are loaded into the bank. An author whom you may not act as, or who does not \
                    exist, is kept as source {kind: import, name}. Each 500 lines are one transaction: if it \
                    fails in the middle, send the same again. Refused lines are in the report, the others are stored. \
                    Requires the permission append, and write to replace another author's memory.\
                    """)
                .alsoCalled(
                        "load a backup of a bank",
                        "upload CLAUDE.md or AGENTS.md",
                        "migrate memories from another system",
                        "import a ChatGPT or Claude export",
                        "move from mem0, Zep or Letta",
                        "import an Obsidian vault",
                        "bulk add notes",
                        "restore an export")
                .hints(Guide.Hint.ON_DEMAND)
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.APPEND, Requirement.OfAgent.ACT)
                .effect(Effect.CHANGES)
                .idempotent()
                .takesLong()
                .route("POST", "/api/banks/{name}/import", Map.of("target.bank", "name"))
                .upload("data", "application/x-ndjson", Route.Passing.PIPED)
                .example("format", JSONL)
                .example("data", "{\"text\":\"Low water at 06:12.\",\"tags\":[\"tides\"]}")
                .handledBy(ImportRequest.class, ImportResponse.class, this::store);
    }

    private ImportResponse store(ImportRequest in, Call call) {
        var actor = acting.agent(call, in.target().agent());
        var author = actor == null ? call.context().user() : actor;
        var bank = banks.read(call, in.target().bank(), actor);
        AccessCheck.require(BankAccess.missing(call, bank));
        if (in.data() == null) {
            throw Problem.missing("data");
        }
        var report = new ImportReport();
        var lines = lines(in, in.data(), call, report);
        var isPreview = Boolean.TRUE.equals(in.dryRun());
        var censored = stores.memories().censorship(call, bank, author).author();
        new ImportBatch(stores, call, bank, author, censored, isPreview, report).store(lines);
        if (isPreview) {
            call.dryRun();
        }
        if (isPreview || report.stored + report.replaced + report.revisions == 0) {
            call.changed(List.of());
        }
        call.details("%d stored, %d replaced, %d unchanged, %d refused"
                .formatted(report.stored, report.replaced, report.unchanged, report.refused));
        return response(report, isPreview);
    }

    private static List<ImportLine> lines(ImportRequest in, String data, Call call, ImportReport report) {
        var lines = new ArrayList<ImportLine>();
        var number = in.firstLine() == null ? 1 : in.firstLine();
        for (var text : data.split("\n", -1)) {
            if (!text.isBlank()) {
                report.lines++;
                try {
                    lines.add(ImportLine.of(in.format(), number, text, call.now()));
                } catch (Problem problem) {
                    report.refuse(number, problem.note().replace("the body is not", "the line is not"));
                }
            }
            number++;
        }
        return lines;
    }

    private static ImportResponse response(ImportReport report, boolean isPreview) {
        return new ImportResponse(
                report.lines,
                report.stored,
                report.replaced,
                report.revisions,
                report.unchanged,
                report.refused,
                report.refusals,
                report.reasons.list(),
                null,
                null,
                null,
                report.refused == 0,
                null,
                isPreview ? report.preview : null,
                !isPreview && report.stored + report.replaced + report.revisions > 0);
    }
}
