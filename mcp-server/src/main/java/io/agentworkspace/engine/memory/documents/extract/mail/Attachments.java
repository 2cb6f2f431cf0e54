package io.agentworkspace.engine.memory.documents.extract.mail;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.Bounds;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.util.function.Consumer;

/** Has the attachments of a mail read, each as a document of its own type, and says which could not be read. */
public final class Attachments {
    private final Reader reader;
    private final Consumer<DocumentReason> warnings;
    private int count;
    private int depth;

    public Attachments(Reader reader, Consumer<DocumentReason> warnings) {
        this.reader = reader;
        this.warnings = warnings;
    }

    /** Adds a warning about the mail's own text. */
    void warn(DocumentReason warning) {
        warnings.accept(warning);
    }

    /** Reads a file of any accepted type. */
    @FunctionalInterface
    public interface Reader {
        /** @throws Rejection if it cannot be read */
        void read(MailPart part);
    }

    /** Writes an attachment's name as a heading, and its text or the reason why there is none below. */
    void add(MailPart part, BlockWriter out) {
        enclose(part.name(), out, () -> reader.read(part));
    }

    /** Writes an attached mail in the same way. */
    void enclose(String name, BlockWriter out, Runnable attachment) {
        var place = BlockWriter.place("attachment " + name);
        if (++count > Bounds.ATTACHMENTS) {
            throw new Rejection(
                    Code.TOO_LARGE,
                    "it has over %d attachments; submit them alone".formatted(Bounds.ATTACHMENTS),
                    place);
        }
        out.add(BlockKind.HEADING, 2, "Attachment: " + name, place);
        if (++depth > Bounds.MAILS) {
            depth--;
            out.add(BlockKind.PARAGRAPH, 0, "Not read: it is in over %d mails".formatted(Bounds.MAILS), place);
            return;
        }
        try {
            out.within(place, 2, attachment);
        } catch (Rejection rejection) {
            if (out.isFull() || count > Bounds.ATTACHMENTS) {
                throw rejection;
            }
            out.add(BlockKind.PARAGRAPH, 0, "Not read: " + rejection.reason().message(), place);
        } catch (RuntimeException damaged) { // The parser failed on the attachment.
            out.add(BlockKind.PARAGRAPH, 0, "Not read: it is damaged", place);
        } finally {
            depth--;
        }
    }
}
