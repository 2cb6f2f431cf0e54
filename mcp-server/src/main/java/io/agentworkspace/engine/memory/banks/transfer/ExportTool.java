package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.memory.banks.transfer.exported.ExportFormat;
import io.agentworkspace.engine.memory.banks.transfer.exported.FilePart;
import io.agentworkspace.engine.memory.banks.transfer.exported.MemoryLine;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Exports a bank: MB_Export. */
final class ExportTool {
    private final ExportQueries reads;
    private final String baseUrl;

    /** @param baseUrl the public address of the REST API */
    public ExportTool(ExportQueries reads, String baseUrl) {
        this.reads = reads;
        this.baseUrl = baseUrl;
    }

    record Target(
            @Doc("The memory bank's name.") Name bank,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record ExportRequest(
            @Doc("Which bank.") Target target,

            @Doc(
                    value = "engine (default) is for MB_Import. markdown: a folder for Obsidian and basic-memory."
                            + " graph: for the reference memory server. mem0, jsonl, csv.",
                    oneOf = {
                        ExportFormat.ENGINE,
                        ExportFormat.MARKDOWN,
                        ExportFormat.JSONL,
                        ExportFormat.MEM0,
                        ExportFormat.GRAPH,
                        ExportFormat.CSV
                    })
            @Nullable
            String format,

            @Doc("true: also the former revisions, each after its memory; with the format engine.") @Nullable
            Boolean revisions,

            @Doc("Which part.") @Nullable Page page) {}

    record ExportResponse(
            @Doc("The memories, the oldest first; empty with another format than engine.")
            List<MemoryLine> content,

            @Doc("With another format than engine: the parts of the file, after each other or each with its path.")
            @Nullable
            List<FilePart> parts,

            @Doc("With another format than engine: what the file is.") @Nullable
            String mediaType,

            @Doc("Give it as page.cursor for the next part; absent on the last.") @Nullable
            String nextCursor,

            @Doc("GET it with your key for the whole bank as a file.")
            String url) {}

    public Tool<?, ?> export() {
        return Tool.named("MB_Export")
                .title("Export a memory bank")
                .description("""
                        Exports a whole memory bank, with ids, dates and lineage, to move it, keep a copy, or go to another product.\
                        """)
                .details("""
                        Over MCP one page at a time; url is the address of the whole file. The format engine is JSON lines, one \
                        memory in each, which MB_Import takes in. It has \
                        every memory that you may read, also superseded and expired ones, and none that is hidden or in the \
                        trash; mem0 and jsonl have only current ones. Requires the permission read.\
                        """)
                .alsoCalled(
                        "download all notes of a bank",
                        "back up a knowledge base",
                        "dump memories as json lines",
                        "take my data out",
                        "notes for obsidian",
                        "move to mem0",
                        "copy a bank to another server")
                .hints(Guide.Hint.ON_DEMAND, Guide.Hint.LARGE_RESULT)
                .needs(Capability.BANK_READ)
                .on(Requirement.OfBank.READ)
                .route("GET", "/api/banks/{name}/export", Map.of("target.bank", "name"))
                .hasLines()
                .handledBy(ExportRequest.class, ExportResponse.class, this::exported);
    }

    private ExportResponse exported(ExportRequest in, Call call) {
        var bank = in.target().bank();
        var name = Objects.requireNonNullElse(in.format(), ExportFormat.ENGINE);
        var withHistory = Boolean.TRUE.equals(in.revisions());
        if (name.equals(ExportFormat.ENGINE)) {
            var found = reads.read(call, bank, withHistory, in.page());
            return new ExportResponse(
                    found.rows(), null, null, found.nextCursor(), url(bank, withHistory ? "?revisions=true" : ""));
        }
        if (withHistory) {
            throw Problem.invalid("revisions", "requires the format engine: no other has former revisions");
        }
        var format = ExportFormat.of(name);
        var found = reads.file(call, bank, format, in.page());
        return new ExportResponse(
                List.of(), found.rows(), format.mediaType(), found.nextCursor(), url(bank, "?format=" + name));
    }

    private String url(Name bank, String query) {
        var name = URLEncoder.encode(bank.text(), StandardCharsets.UTF_8).replace("+", "%20");
        return "%s/api/banks/%s/export%s".formatted(baseUrl, name, query);
    }
}
