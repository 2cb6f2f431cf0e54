package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
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

            @Doc("true: also the former revisions, each after its memory.") @Nullable
            Boolean revisions,

            @Doc("Which part.") @Nullable Page page) {}

    record ExportResponse(
            @Doc("The memories, the oldest first.") List<MemoryLine> content,

            @Doc("Give it as page.cursor for the next part; absent on the last.") @Nullable
            String nextCursor,

            @Doc("GET it with your key for the whole bank as a file of JSON lines.")
            String url) {}

    public Tool<?, ?> export() {
        return Tool.named("MB_Export")
                .title("Export a memory bank")
                .description("""
                        Exports a whole memory bank, with ids, dates and lineage, to move it or keep a copy. MB_Import takes it in.""")
                .details("""
                        Over MCP one part at a time; url is the address of the whole as JSON lines, one memory in each. It has \
                        every memory that you may read, also superseded and expired ones, and none that is hidden or in the \
                        trash. Requires the permission read.""")
                .alsoCalled(
                        "download all notes of a bank",
                        "back up a knowledge base",
                        "dump memories as json lines",
                        "take my data out",
                        "copy a bank to another server")
                .hints(Guide.Hint.ON_DEMAND, Guide.Hint.LARGE_RESULT)
                .needs(Capability.BANK_READ)
                .on(Requirement.OfBank.READ)
                .route("GET", "/api/banks/{name}/export", Map.of("target.bank", "name"))
                .hasLines()
                .handledBy(ExportRequest.class, ExportResponse.class, (in, call) -> {
                    var bank = in.target().bank();
                    var withHistory = Boolean.TRUE.equals(in.revisions());
                    var found = reads.read(call, bank, withHistory, in.page());
                    return new ExportResponse(found.rows(), found.nextCursor(), url(bank, withHistory));
                });
    }

    private String url(Name bank, boolean revisions) {
        var name = URLEncoder.encode(bank.text(), StandardCharsets.UTF_8).replace("+", "%20");
        return "%s/api/banks/%s/export%s".formatted(baseUrl, name, revisions ? "?revisions=true" : "");
    }
}
