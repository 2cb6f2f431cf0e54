package io.agentworkspace.engine.documents.queue;

import io.agentworkspace.engine.documents.DocumentFileStore;
import io.agentworkspace.engine.documents.extract.Extracted;
import io.agentworkspace.engine.documents.extract.Extraction;
import io.agentworkspace.engine.documents.extract.ExtractorProcess;
import io.agentworkspace.engine.documents.queue.QueueStore.Claim;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Validates one document: has its text extracted, asks what else speaks against it, and writes what came of it. */
final class Validator {
    /** So often a document is tried before it counts as damaged. */
    static final int ATTEMPTS = 3;

    private static final Logger LOG = LoggerFactory.getLogger(Validator.class);

    private final QueueStore store;
    private final DocumentFileStore files;
    private final Clock clock;

    Validator(QueueStore store, DocumentFileStore files, Clock clock) {
        this.store = store;
        this.files = files;
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
        } else if (!store.finish(
                claim, true, extracted.type(), extracted.reasons(), extracted.parts(), clock.instant())) {
            // Another one with the same content was quicker, or the claim is lost, and then nothing is written.
            store.twin(claim).ifPresent(twin -> reject(claim, extracted, List.of(duplicate(twin))));
        }
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
