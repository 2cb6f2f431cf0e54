package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.model.access.Requirement.OfDocument;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.Optional;

/** Decides what a caller may do with a document: everybody in the tenant sees it; who submitted it, and admins, change it. */
public final class DocumentAccess {
    private DocumentAccess() {}

    /** @param versions those that are meant, the newest first; not empty */
    public static Optional<Problem> missing(Call call, List<DocumentStore.SubmittedVersion> versions) {
        var required = call.tool().requirement(OfDocument.class);
        call.checked(required);
        return switch (required) {
            case SEE -> AccessCheck.GRANTED;
            case OWN -> missing(call, versions.getFirst());
            case OWN_EACH ->
                versions.stream()
                        .flatMap(version -> missing(call, version).stream())
                        .findFirst();
        };
    }

    private static Optional<Problem> missing(Call call, DocumentStore.SubmittedVersion version) {
        var isOwn =
                version.owner() == call.context().user().id() || call.caller().isAdmin();
        return AccessCheck.refusedIf(
                !isOwn,
                "'%s' was submitted by somebody else, '%s': only that user or an admin may do this"
                        .formatted(version.name(), version.ownerName()));
    }
}
