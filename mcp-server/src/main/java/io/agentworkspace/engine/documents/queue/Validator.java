package io.agentworkspace.engine.documents.queue;

import io.agentworkspace.engine.documents.DocumentFileStore;
import io.agentworkspace.engine.documents.extract.Block;
import io.agentworkspace.engine.documents.extract.Extracted;
import io.agentworkspace.engine.documents.extract.Extraction;
import io.agentworkspace.engine.documents.extract.ExtractorProcess;
import io.agentworkspace.engine.documents.queue.QueueStore.Claim;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.rules.DocumentRules;
import io.agentworkspace.engine.rules.Verdict;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Validates one document: has its text extracted, evaluates the tenant's rules about documents, and writes the result. */
final class Validator {
    /** So often a document is tried before it counts as damaged. */
    static final int ATTEMPTS = 3;

    private static final int TEXT_FOR_RULES = 1_000_000;

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

    /** @throws ExtractorProcess.Lost if the process did not survive the document */
    void validate(Claim claim, ExtractorProcess process) throws ExtractorProcess.Lost {
        var twin = store.twin(claim);
        if (twin.isPresent()) {
            reject(claim, null, List.of(duplicate(twin.get())));
            return;
        }
        var piece = new AtomicInteger();
        var extracted = process.extract(
                new Extraction.Claim(claim.name(), claim.declaredType()),
                () -> files.chunk(claim.tenant(), claim.id(), piece.getAndIncrement()));
        decide(claim, extracted);
    }

    private void decide(Claim claim, Extracted extracted) {
        var isAccepted = extracted.reasons().stream().allMatch(DocumentReason::warns);
        if (!isAccepted) {
            reject(claim, extracted, extracted.reasons());
            return;
        }
        var denial = rules.areThere(claim.tenant()) ? ruling(claim, extracted).denial() : null;
        if (denial != null) {
            reject(claim, extracted, List.of(DocumentReason.of(Code.RULE, denial.note())));
        } else if (!store.finish(
                claim, true, extracted.type(), extracted.reasons(), extracted.parts(), clock.instant())) {
            // Another one with the same content was quicker, or the claim is lost, and then nothing is written.
            store.twin(claim).ifPresent(twin -> reject(claim, extracted, List.of(duplicate(twin))));
        }
    }

    private Verdict ruling(Claim claim, Extracted extracted) {
        var document = new DocumentRules.Document(
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

    /** As much as rules may look at. */
    private static String text(Extracted extracted) {
        var text = new StringBuilder();
        for (var part : extracted.parts()) {
            if (text.length() < TEXT_FOR_RULES) {
                Json.readList(part.blocks(), Block.class)
                        .forEach(block -> text.append(block.rendered()).append('\n'));
            }
        }
        return text.substring(0, Math.min(text.length(), TEXT_FOR_RULES));
    }

    private static DocumentReason duplicate(String twin) {
        return DocumentReason.of(Code.DUPLICATE, "%s has the same content; use that one".formatted(twin));
    }

    private void reject(
            Claim claim, @org.jspecify.annotations.Nullable Extracted extracted, List<DocumentReason> reasons) {
        store.finish(claim, false, extracted == null ? null : extracted.type(), reasons, List.of(), clock.instant());
    }

    /** It was tried often enough. */
    void giveUp(Claim claim) {
        LOG.info("a document is rejected: its validation failed {} times", ATTEMPTS);
        reject(
                claim,
                null,
                List.of(DocumentReason.of(
                        Code.DAMAGED,
                        "its text could not be extracted in %d attempts: it took too much time or memory each time"
                                .formatted(ATTEMPTS))));
    }
}
