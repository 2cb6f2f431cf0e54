package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.kernel.http.PublicPath;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Takes the public path off requests, and adds it to what responses say about addresses and cookies. */
public final class BelowPath extends Handler.Wrapper {
    private final PublicPath path;

    public BelowPath(PublicPath path, Handler inside) {
        super(inside);
        this.path = path;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        if (path.isEmpty()) {
            return super.handle(request, response, callback);
        }
        var inside = new Inside(request, path);
        return super.handle(inside, path.own().isEmpty() ? response : new Outside(inside, response), callback);
    }

    /** Returns the public path of a request; empty for none. */
    static String of(Request request) {
        var inside = Request.as(request, Inside.class);
        return inside == null ? "" : inside.publicPath;
    }

    private static final class Inside extends Request.Wrapper {
        private final String publicPath;
        private final HttpURI address;
        private final HttpFields headers;

        private Inside(Request request, PublicPath path) {
            super(request);
            this.publicPath = path.own();
            this.address = path.inside(request.getHttpURI());
            this.headers = path.inside(request.getHeaders());
        }

        @Override
        public HttpURI getHttpURI() {
            return address;
        }

        @Override
        public HttpFields getHeaders() {
            return headers;
        }
    }

    private final class Outside extends Response.Wrapper {
        private Outside(Request request, Response response) {
            super(request, response);
        }

        @Override
        public void write(boolean last, @Nullable ByteBuffer content, Callback callback) {
            if (!isCommitted()) {
                path.outside(getHeaders());
            }
            super.write(last, content, callback);
        }
    }
}
