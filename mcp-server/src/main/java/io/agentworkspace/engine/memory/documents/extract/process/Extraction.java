package io.agentworkspace.engine.memory.documents.extract.process;

import io.agentworkspace.engine.memory.documents.extract.Block;
import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.ContentScan;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import io.agentworkspace.engine.model.document.DocumentType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result for a file: its type, its blocks, and the reasons against it.
 *
 * @param type null if it is not accepted
 * @param turns of a conversation; null for other files, even if one is attached to them
 */
public record Extraction(
        @Nullable DocumentType type,
        List<Block> blocks,
        List<DocumentReason> reasons,
        @Nullable Long turns) {
    private static Extraction failed(@Nullable DocumentType type, List<DocumentReason> reasons) {
        return new Extraction(type, List.of(), reasons, null);
    }

    /**
     * What a file was sent with: its name and type, which are only compared with its content, and its encoding.
     *
     * @param charset by its name
     * @param comments whether readers' comments are part of its text
     */
    public record DeclaredFile(
            String name,
            @Nullable String mediaType,
            @Nullable String charset,
            boolean comments) {
        boolean isCalled(DocumentType type) {
            return type().filter(type::equals).isPresent();
        }

        private Optional<DocumentType> type() {
            return Optional.ofNullable(mediaType)
                    .flatMap(DocumentType::ofMediaType)
                    .or(() -> DocumentType.ofName(name));
        }
    }

    /** Extracts a file. This returns for any content, unless it takes too much time or memory. */
    static Extraction of(byte[] file, DeclaredFile claim) {
        var out = new BlockWriter(claim.comments());
        var warnings = new ArrayList<DocumentReason>();
        DocumentType type = null;
        try {
            type = new Reading(out, warnings).read(file, claim);
            check(out, type);
            var reasons = new ArrayList<>(ContentScan.reasons(out.blocks()));
            reasons.addAll(warnings);
            mismatch(type, claim).ifPresent(reasons::addFirst);
            return new Extraction(type, out.blocks(), List.copyOf(reasons), turns(out, type));
        } catch (Rejection rejection) {
            return failed(type, reasons(rejection.reason(), type, claim));
        } catch (RuntimeException unforeseen) { // The parser failed on the file.
            var unreadable = DocumentReason.of(Code.DAMAGED, "it cannot be read; open it and save it again");
            return failed(type, List.of(unreadable));
        } catch (StackOverflowError e) {
            var deep = DocumentReason.of(Code.DAMAGED, "its structure is nested deeper than any program can read");
            return failed(type, List.of(deep));
        }
    }

    private static @Nullable Long turns(BlockWriter out, DocumentType type) {
        var isMail = type == DocumentType.EML || type == DocumentType.MSG;
        return isMail || out.turns() == 0 ? null : out.turns();
    }

    private static List<DocumentReason> reasons(DocumentReason found, @Nullable DocumentType type, DeclaredFile claim) {
        var isOther = found.code() == Code.TYPE_NOT_ALLOWED && claim.type().isPresent();
        return isOther
                ? List.of(
                        found,
                        DocumentReason.of(
                                Code.TYPE_MISMATCH,
                                "it is called %s, but its content is not; give it the name and type of its content"
                                        .formatted(claim.type().get().title())))
                : type == null
                        ? List.of(found)
                        : mismatch(type, claim)
                                .map(mismatch -> List.of(found, mismatch))
                                .orElse(List.of(found));
    }

    private static Optional<DocumentReason> mismatch(DocumentType type, DeclaredFile claim) {
        return claim.type()
                .filter(claimed -> !claimed.isLike(type))
                .map(claimed -> DocumentReason.of(
                        Code.TYPE_MISMATCH,
                        "it is called %s, but its content is %s; give it the name and type of its content"
                                .formatted(claimed.title(), type.title())));
    }

    private static void check(BlockWriter out, DocumentType type) {
        if (out.isEmpty()) {
            throw new Rejection(
                    Code.NO_TEXT,
                    switch (type) {
                        case PDF, DOCX, PPTX, ODT, ODP, RTF, EPUB ->
                            "it has no text: scanned pages are images, and no text is recognised in images";
                        default -> "no text can be extracted from it";
                    });
        }
    }
}
