package io.agentworkspace.engine.web.connections;

import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a request that has not arrived completely; without it, {@code ConnectionFloodTest} fills the heap. Their memory is free as soon as the connection gives way:
 * the server itself takes apart closed connections later, when a thread has time for it, and by then thousands of others
 * may have given way, too.
 */
final class UnfinishedHeaders {
    private @Nullable List<HttpField> fields = new ArrayList<>();

    synchronized void add(HttpField field) {
        if (fields != null) {
            fields.add(field);
        }
    }

    /**
     * Returns the headers of the request, and begins those of the next.
     *
     * @throws HttpException.RuntimeException if the connection gave way
     */
    synchronized List<HttpField> take() {
        if (fields == null) {
            throw new HttpException.RuntimeException(HttpStatus.BAD_REQUEST_400, "the connection is closed");
        }
        var complete = fields;
        fields = new ArrayList<>();
        return complete;
    }

    /** Discards the headers, also those that still arrive. */
    synchronized void discard() {
        fields = null;
    }
}
