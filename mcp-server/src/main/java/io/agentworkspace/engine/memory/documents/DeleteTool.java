package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The end of a document, and of what was loaded from it: DC_Delete. Whoever calls it is shown first what that is. */
final class DeleteTool {
    private static final String DELETE = "delete";

    private final DocumentStore documents;
    private final LoadedMemories loaded;

    public DeleteTool(DocumentStore documents, LoadedMemories loaded) {
        this.documents = documents;
        this.loaded = loaded;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(delete());
    }

    record DeleteRequest(
            @Doc(value = DocumentTools.ID + " By name all versions.", max = DocumentName.MAX)
            String id,

            @Doc(
                    value =
                            "What to do with memories that were loaded from it: delete, or keep. Required if there are any.",
                    oneOf = {DELETE, "keep"})
            @Nullable
            String memories,

            @Doc("true: delete nothing, and only report what would be deleted.") @Nullable
            Boolean dryRun) {}

    record DeleteResponse(
            @Doc("How many versions were deleted, or would be.")
            long deleted,

            @Doc("How many memories were deleted, or, with dry_run, would be deleted by memories=delete.")
            long memories,

            @Doc("The banks with memories that were loaded from the deleted versions.")
            List<InBank> loaded) {}

    /** What a bank has of a document. */
    record InBank(
            @Doc("The bank; absent in the entry for all banks that you may not see, or that are in the trash.")
            @Nullable
            String bank,

            @Doc("How many memories.") long memories,

            @Doc("Whether you may delete them: with the permission write and bank:write.")
            boolean deletable) {}

    private Tool<DeleteRequest, DeleteResponse> delete() {
        return Tool.named("DC_Delete")
                .title("Delete a document")
                .alsoCalled("remove an uploaded file", "throw a document away")
                .description("""
                        Deletes a version of a document permanently, or with its name all versions: file, text and record. Send dry_run first: \
                        it reports the memories that were loaded from it, and in which banks. memories: whether to delete them, too. For its \
                        submitter and admins.""")
                .needs(Capability.DOCUMENT_WRITE)
                .on(Requirement.OfDocument.OWN_EACH)
                .effect(Effect.DESTROYS)
                .route("DELETE", "/api/documents/{id}")
                .example("id", "tide-tables.md")
                .handledBy(DeleteRequest.class, DeleteResponse.class, this::delete)
                .readingWith("dry_run", "true", this::report);
    }

    private DeleteResponse report(DeleteRequest in, Call call) {
        var versions = documents.find(call, in.id());
        if (versions.isEmpty()) {
            throw DocumentStore.missing(in.id());
        }
        AccessCheck.require(DocumentAccess.missing(call, versions));
        var banks = loaded.banks(call, ids(versions));
        var gone = "keep".equals(in.memories())
                ? 0
                : banks.stream()
                        .filter(bank -> bank.refusal() == null)
                        .mapToLong(LoadedMemories.InBank::memories)
                        .sum();
        return new DeleteResponse(versions.size(), gone, records(banks));
    }

    private static List<UUID> ids(List<DocumentStore.SubmittedVersion> versions) {
        return versions.stream().map(DocumentStore.SubmittedVersion::id).toList();
    }

    private static List<InBank> records(List<LoadedMemories.InBank> banks) {
        return banks.stream()
                .map(bank -> new InBank(bank.name(), bank.memories(), bank.refusal() == null))
                .toList();
    }

    private DeleteResponse delete(DeleteRequest in, Call call) {
        var versions = documents.lock(call, in.id());
        var isVersion = versions.getFirst().isGivenBy(in.id());
        call.about(new Call.About(
                versions.getFirst().name(), isVersion ? versions.getFirst().id().toString() : null));
        AccessCheck.require(DocumentAccess.missing(call, versions));
        var banks = loaded.banks(call, ids(versions));
        if (in.memories() == null && !banks.isEmpty()) {
            throw Problem.conflict(
                    "%s loaded from '%s': send memories=delete to delete them, too, or memories=keep; dry_run reports more"
                            .formatted(summary(banks), versions.getFirst().name()));
        }
        var memories = 0L;
        if (DELETE.equals(in.memories())) {
            banks.forEach(DeleteTool::require);
            memories = loaded.delete(call, ids(versions));
        }
        documents.delete(call, versions);
        call.details(audited(versions, banks, DELETE.equals(in.memories())));
        return new DeleteResponse(versions.size(), memories, records(banks));
    }

    private static void require(LoadedMemories.InBank bank) {
        if (bank.refusal() != null) {
            throw Problem.notPermitted(bank.refusal());
        }
    }

    /** Returns what became of the versions and the memories, for the audit. */
    private static String audited(
            List<DocumentStore.SubmittedVersion> rows, List<LoadedMemories.InBank> banks, boolean isDeleted) {
        var versions = rows.stream()
                .map(DocumentStore.SubmittedVersion::version)
                .sorted()
                .map(String::valueOf)
                .collect(Collectors.joining(", "));
        var memories = banks.stream()
                .map(bank -> "%,d %s"
                        .formatted(
                                bank.memories(), bank.name() == null ? "elsewhere" : "in '%s'".formatted(bank.name())))
                .collect(Collectors.joining(", "));
        return "deleted %s %s; %s"
                .formatted(
                        rows.size() == 1 ? "version" : "versions",
                        Excerpt.of(versions, 500),
                        banks.isEmpty()
                                ? "no memories were loaded from it"
                                : "memories %s: %s"
                                        .formatted(isDeleted ? "deleted" : "kept", Excerpt.of(memories, 1_000)));
    }

    private static String summary(List<LoadedMemories.InBank> banks) {
        var count = banks.stream().mapToLong(LoadedMemories.InBank::memories).sum();
        var names = banks.stream()
                .map(bank -> bank.name() == null ? "banks that you may not see" : "'%s'".formatted(bank.name()))
                .collect(Collectors.joining(", "));
        return "%,d memories in %s %s".formatted(count, names, count == 1 ? "was" : "were");
    }
}
