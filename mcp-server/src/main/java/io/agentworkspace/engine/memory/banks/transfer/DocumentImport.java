package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.memory.banks.transfer.ImportReport.DocumentCounts;
import io.agentworkspace.engine.memory.banks.transfer.ImportReport.PreviewedDocument;
import io.agentworkspace.engine.memory.banks.transfer.formats.ImportedDocument;
import io.agentworkspace.engine.memory.banks.transfer.formats.Reasons;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.tool.ToolRunner.Request;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Submits the conversations of an import as documents, which everybody with document:read may read, waits until they are validated, and loads them into the bank: by
 * DC_Submit, DC_Read and MB_Load, so that access, quotas, rules and the queue are those of every document.
 */
final class DocumentImport {
    private static final int SHOWN = 3;
    private static final int EXCERPT = 160;

    /** How often a document that waits is looked at, before it is left for the next import of the same file. */
    private static final int MOST_LOOKS = 300;

    private static final long BETWEEN_LOOKS = 200;

    /** After these the next document would be refused for the same reason. */
    private static final Set<Failure> FOR_ALL =
            Set.of(Failure.QUOTA_EXCEEDED, Failure.NOT_PERMITTED, Failure.RATE_LIMITED);

    /** That there is no such document, or none for the caller. */
    private static final Set<Failure> MISSING = Set.of(Failure.NOT_FOUND, Failure.NOT_PERMITTED);

    private final ToolRunner runner;
    private final Request request;
    private final Reasons refused;
    private final long before;
    private int looks;
    private long stored;
    private long unchanged;
    private long waiting;
    private long refusals;

    /**
     * @param refused receives why documents were refused
     * @param before the progress of the import so far
     */
    DocumentImport(ToolRunner runner, Request request, Reasons refused, long before) {
        this.before = before;
        this.runner = runner;
        this.request = request;
        this.refused = refused;
    }

    /**
     * A document that the engine has, and which of those of the file it is.
     *
     * @param isNew whether this import submitted it
     */
    private record Submitted(ImportedDocument document, String id, boolean isNew) {}

    /** Returns what an import would do, as far as it is known without doing it: quotas and the validation can refuse more. */
    DocumentCounts previewed(List<ImportedDocument> documents) {
        for (var i = 0; i < documents.size(); i++) {
            Cancellation.checkCurrent();
            preview(documents.get(i));
            request.progress().report(before + i + 1, (double) before + documents.size(), "looking at conversations");
        }
        var first = documents.stream()
                .limit(SHOWN)
                .map(each -> new PreviewedDocument(
                        each.name(), Excerpt.of(each.text(), EXCERPT), each.turns() == 0 ? null : each.turns()))
                .toList();
        return new DocumentCounts(documents.size(), stored, unchanged, 0, refusals, first);
    }

    private void preview(ImportedDocument document) {
        var newest = newest(document);
        var known = isSame(newest, document) ? newest : null;
        if (known == null && !mayRun("DC_Submit")) {
            refuse(document, "you may not run DC_Submit");
        } else if (!mayRun("MB_Load")) {
            refuse(document, "you may not run MB_Load");
        } else if (known != null && isLoaded(known)) {
            unchanged++;
        } else if (!refuseOlder(newest, document)) {
            stored++;
        }
    }

    /** Returns whether the bank has memories of this version, as far as the caller may know. */
    private boolean isLoaded(ObjectNode document) {
        var id = Json.object().put("id", document.path("id").asString()).put("dry_run", true);
        var bank = request.arguments().path("target").path("bank").asString("");
        return runner.runUncounted(of("DC_Delete", id))
                .envelope()
                .path("loaded")
                .valueStream()
                .anyMatch(each -> each.path("bank").asString("").equalsIgnoreCase(bank));
    }

    private boolean mayRun(String tool) {
        var question = new ToolRunner.Question(
                tool, null, Context.named(request.arguments()), request.caller(), request.requestId());
        return runner.why(question).may();
    }

    /**
     * Returns the newest version of the document, by its origin if the caller has one of it. DC_Read would look for similar names, which
     * 5,000 times is much work.
     */
    private @Nullable ObjectNode newest(ImportedDocument document) {
        return Optional.ofNullable(document.origin())
                .flatMap(origin -> listed("origin", origin)
                        .filter(each -> each.path("submitted_by")
                                .asString("")
                                .equals(request.caller().userName()))
                        .findFirst())
                .or(() -> listed("name", document.name()).findFirst())
                .orElse(null);
    }

    private Stream<ObjectNode> listed(String field, String value) {
        var answer = runner.runUncounted(
                of("DC_List", Json.object().put(field, value).put("newest", true)));
        return isMissing(answer)
                ? Stream.empty()
                : answer.envelope().path("documents").valueStream().map(ObjectNode.class::cast);
    }

    private static boolean isSame(@Nullable ObjectNode newest, ImportedDocument document) {
        return newest != null
                && newest.path("name").asString("").equals(document.name())
                && newest.path("sha256")
                        .asString("")
                        .equals(Sha256.hex(document.text().getBytes(StandardCharsets.UTF_8)));
    }

    /** Refuses an older export of a conversation, which would delete the turns since. Returns whether it is one. */
    private boolean refuseOlder(@Nullable ObjectNode newest, ImportedDocument document) {
        var turns = newest == null ? 0 : newest.path("turns").asLong(0);
        if (document.turns() == 0
                || turns <= document.turns()) { // A file of a project has no turns, whatever it looks like.
            return false;
        }
        refuse(document, "the engine has more turns of it: delete the document there to import this one instead");
        return true;
    }

    DocumentCounts run(List<ImportedDocument> documents) {
        var submitted = new ArrayList<Submitted>();
        var isOver = false;
        for (var i = 0; i < documents.size() && !isOver; i++) {
            Cancellation.checkCurrent();
            isOver = submit(documents.get(i), documents.subList(i + 1, documents.size()), submitted);
            report(i + 1, documents.size());
        }
        for (var i = 0; i < submitted.size(); i++) {
            Cancellation.checkCurrent();
            load(submitted.get(i));
            report(documents.size() + i + 1, documents.size());
        }
        return new DocumentCounts(documents.size(), stored, unchanged, waiting, refusals, null);
    }

    /** @param documents the number of documents, each of which is submitted and loaded */
    private void report(int done, int documents) {
        request.progress().report(before + done, before + 2.0 * documents, "importing conversations");
    }

    /** Submits a document that the engine has not. Returns whether all after it are refused too. */
    private boolean submit(ImportedDocument document, List<ImportedDocument> after, List<Submitted> into) {
        var newest = newest(document);
        if (newest != null && isSame(newest, document)) {
            into.add(new Submitted(document, newest.path("id").asString(), false));
            return false;
        } else if (refuseOlder(newest, document)) {
            return false;
        }
        var arguments = Json.object().put("name", document.name()).put("text", document.text());
        if (document.origin() != null) {
            arguments.put("origin", document.origin());
        }
        if (document.turns() > 0) {
            arguments.put("media_type", "text/markdown"); // Files of projects are of any type.
        }
        var answer = call("DC_Submit", arguments);
        if (answer.problem() == null) {
            into.add(
                    new Submitted(document, answer.envelope().at("/document/id").asString(), true));
            return false;
        }
        refuse(document, answer.problem().note());
        if (FOR_ALL.contains(answer.problem().failure())) {
            after.forEach(each -> refuse(each, answer.problem().note()));
            return true;
        }
        return false;
    }

    /** Returns the newest version of a document; null if there is none, or the caller may not read it. */
    private @Nullable ObjectNode read(String id) {
        var answer = runner.runUncounted(of("DC_Read", Json.object().put("id", id)));
        return isMissing(answer) ? null : (ObjectNode) answer.envelope().path("document");
    }

    /** Returns whether there is nothing that the caller may read; other refusals end the import. */
    private static boolean isMissing(Answer answer) {
        if (answer.problem() != null && !MISSING.contains(answer.problem().failure())) {
            throw answer.problem();
        }
        return answer.problem() != null;
    }

    private void load(Submitted submitted) {
        var found = read(submitted.id());
        while (found != null && isWaiting(found) && looks++ < MOST_LOOKS) {
            pause();
            found = read(submitted.id());
        }
        if (found == null) {
            refuse(
                    submitted.document(),
                    "it was submitted, but you may not read documents (document:read), so it cannot be loaded");
        } else if (isWaiting(found)) {
            waiting++;
        } else if (found.path("state").asString("").equals("accepted")) {
            loadAccepted(submitted);
        } else if (found.at("/reasons/0/code").asString("").equals("duplicate")) {
            loadTwin(submitted);
        } else {
            refuse(submitted.document(), found.at("/reasons/0/message").asString("the document was rejected"));
        }
    }

    private static boolean isWaiting(ObjectNode document) {
        return Set.of("queued", "validating").contains(document.path("state").asString(""));
    }

    private void loadAccepted(Submitted submitted) {
        var answer = call("MB_Load", loading(submitted.document()));
        if (answer.problem() != null) {
            refuse(submitted.document(), answer.problem().note());
        } else if (submitted.isNew() || answer.envelope().path("changed").asBoolean(false)) {
            stored++;
        } else {
            unchanged++;
        }
    }

    /** Loads the version that has this text already; there is none by this name if the same file is in another project. */
    private void loadTwin(Submitted submitted) {
        var answer = call("MB_Load", loading(submitted.document()));
        if (answer.problem() == null && answer.envelope().path("changed").asBoolean(false)) {
            stored++;
        } else {
            unchanged++;
        }
    }

    private ObjectNode loading(ImportedDocument document) {
        var arguments = Json.object();
        var target = arguments.putObject("target");
        List.of("bank", "agent", "context").forEach(field -> {
            var value = request.arguments().path("target").path(field);
            if (value.isString()) {
                target.set(field, value);
            }
        });
        arguments.putObject("vx").put("name", document.name());
        return arguments;
    }

    private void refuse(ImportedDocument document, String note) {
        refusals++;
        refused.add("a conversation was refused: " + note, document.place());
    }

    private Answer call(String service, ObjectNode arguments) {
        return runner.run(of(service, arguments));
    }

    private Request of(String service, ObjectNode arguments) {
        return new Request(service, arguments, request.caller(), request.requestId(), false, null)
                .from(request.source())
                .readOnly(request.readOnly());
    }

    private static void pause() {
        Cancellation.checkCurrent();
        try {
            Thread.sleep(BETWEEN_LOOKS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.unavailable();
        }
    }
}
