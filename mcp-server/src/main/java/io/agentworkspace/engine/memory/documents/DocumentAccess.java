package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.model.access.Requirement.OfDocument;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;

/** Decides what a caller may do with a document: everybody in the tenant sees it; who submitted it, and admins, change it. */
public final class DocumentAccess {
    private DocumentAccess() {}

    /** @param versions those that are meant, the newest first; not empty */
    public static AccessCheck missing(Call call, List<DocumentStore.SubmittedVersion> versions) {
        var required = call.tool().requirement(OfDocument.class);
        call.checked(required);
        return switch (required) {
            case SEE -> AccessCheck.GRANTED;
            case OWN -> missing(call, versions.getFirst());
            case OWN_EACH ->
                versions.stream()
                        .map(version -> missing(call, version))
                        .filter(AccessCheck::isRefused)
                        .findFirst()
                        .orElse(AccessCheck.GRANTED);
        };
    }

    private static AccessCheck missing(Call call, DocumentStore.SubmittedVersion version) {
        var isOwn =
                version.owner() == call.context().user().id() || call.caller().isAdmin();
        return AccessCheck.refusedIf(
                !isOwn,
                "'%s' was submitted by somebody else, '%s': only that user or an admin may do this"
                        .formatted(version.name(), version.ownerName()));
    }
}
