package io.agentworkspace.engine.memory.documents.queue;

import io.agentworkspace.engine.identity.rules.DocumentRules;
import io.agentworkspace.engine.identity.rules.Verdict;
import io.agentworkspace.engine.memory.documents.DocumentFileStore;
import io.agentworkspace.engine.memory.documents.extract.Block;
import io.agentworkspace.engine.memory.documents.extract.process.Extracted;
import io.agentworkspace.engine.memory.documents.extract.process.Extraction;
import io.agentworkspace.engine.memory.documents.extract.process.ExtractorProcess;
import io.agentworkspace.engine.memory.documents.queue.QueueStore.ClaimedDocument;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import io.agentworkspace.engine.model.json.Json;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Validates a document: has its text extracted, evaluates the tenant's rules about documents, and writes the result. */
final class Validator {
    /** The number of attempts after which a document counts as damaged. */
    static final int ATTEMPTS = 3;

    private static final Logger LOG = LoggerFactory.getLogger(Validator.class);

    private final QueueStore store;
    private final DocumentFileStore files;
    private final DocumentRules rules;
    private final Clock clock;

    Validator(QueueStore store, DocumentFileStore files, DocumentRules rules, Clock clock) {
        this.store = store;
        this.files = files;
        this.rules = rules;
        this.clock = clock;
    }

    /** @throws ExtractorProcess.Lost if the process ended during the document */
    void validate(ClaimedDocument claim, ExtractorProcess process) throws ExtractorProcess.Lost {
        var twin = store.twin(claim);
        if (twin.isPresent()) {
            reject(claim, null, List.of(duplicate(twin.get())));
            return;
        }
        var piece = new AtomicInteger();
        var extracted = process.extract(
                new Extraction.DeclaredFile(
                        claim.name(), claim.declaredType(), claim.declaredCharset(), claim.comments()),
                () -> files.chunk(claim.tenant(), claim.id(), piece.getAndIncrement()));
        decide(claim, extracted);
    }

    private void decide(ClaimedDocument claim, Extracted extracted) {
        var isAccepted = extracted.reasons().stream().allMatch(DocumentReason::warns);
        if (!isAccepted) {
            reject(claim, extracted, extracted.reasons());
            return;
        }
        var verdict = rules.areThere(claim.tenant()) ? ruling(claim, extracted) : Verdict.NONE;
        var denial = verdict.denial();
        var result = denial == null
                ? new QueueStore.ValidationResult(
                        true,
                        extracted.type(),
                        extracted.reasons(),
                        extracted.parts(),
                        extracted.turns(),
                        verdict.noted())
                : QueueStore.ValidationResult.rejected(
                        extracted.type(), List.of(DocumentReason.of(Code.RULE, denial.note())), verdict.noted());
        if (!store.finish(claim, result, clock.instant())) {
            // Another document with the same content was accepted first. With a lost claim, nothing is written.
            store.twin(claim).ifPresent(twin -> reject(claim, extracted, List.of(duplicate(twin))));
        }
    }

    private Verdict ruling(ClaimedDocument claim, Extracted extracted) {
        var document = new DocumentRules.CheckedDocument(
                claim.name(),
                Objects.requireNonNull(extracted.type()).mediaType(),
                claim.size(),
                claim.version(),
                claim.sha256(),
                text(extracted),
                extracted.reasons().stream().map(reason -> reason.code().word()).toList());
        var submitter = new DocumentRules.Submitter(claim.submitter(), claim.role(), null, null, List.of());
        return rules.check(
                claim.tenant(), document, submitter, clock.instant(), claim.id().toString());
    }

    private static String text(Extracted extracted) {
        var text = new StringBuilder();
        for (var part : extracted.parts()) {
            Json.readList(part.blocks(), Block.class)
                    .forEach(block -> text.append(block.rendered()).append('\n'));
        }
        return text.toString();
    }

    private static DocumentReason duplicate(String twin) {
        return DocumentReason.of(Code.DUPLICATE, "%s has the same content; use that one".formatted(twin));
    }

    private void reject(ClaimedDocument claim, @Nullable Extracted extracted, List<DocumentReason> reasons) {
        var type = extracted == null ? null : extracted.type();
        store.finish(claim, QueueStore.ValidationResult.rejected(type, reasons, List.of()), clock.instant());
    }

    /** @param last how the last attempt ended */
    void giveUp(ClaimedDocument claim, String last) {
        LOG.info("rejected a document: its validation failed {} times", ATTEMPTS);
        reject(
                claim,
                null,
                List.of(DocumentReason.of(
                        Code.DAMAGED,
                        "its text could not be extracted in %d attempts; the last one %s: submit it in parts, or in a simpler format"
                                .formatted(ATTEMPTS, last))));
    }
}
