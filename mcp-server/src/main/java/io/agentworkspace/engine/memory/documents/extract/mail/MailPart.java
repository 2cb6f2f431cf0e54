package io.agentworkspace.engine.memory.documents.extract.mail;

import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.DeclaredCharset;
import io.agentworkspace.engine.memory.documents.extract.HtmlExtractor;
import io.agentworkspace.engine.memory.documents.extract.PlainExtractor;
import io.agentworkspace.engine.memory.documents.extract.TextDecoder;
import org.jspecify.annotations.Nullable;

/**
 * A decoded part of a mail: its text, or an attachment.
 *
 * @param charset by its name, if the mail says it
 */
public record MailPart(String name, byte[] file, @Nullable String charset) {

    /** Writes the mail's own text. */
    void writeText(boolean isHtml, BlockWriter out) {
        var declared = DeclaredCharset.ofUpload(charset);
        var text = TextDecoder.decode(file, declared.isPresent() || !isHtml ? declared : DeclaredCharset.inHead(file))
                .text();
        out.within("text", 1, () -> {
            if (isHtml) {
                HtmlExtractor.extractPart(text, "", out);
            } else {
                PlainExtractor.extract(text, out);
            }
        });
    }
}
