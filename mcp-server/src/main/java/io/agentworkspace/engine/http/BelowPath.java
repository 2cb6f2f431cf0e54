package io.agentworkspace.engine.http;

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
    /** The name of the request attribute with the public path. */
    static final String ATTRIBUTE = "engine.public-path";

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
        var address = path.inside(request.getHttpURI());
        var headers = path.inside(request.getHeaders());
        var inside = new Request.Wrapper(request) {
            @Override
            public HttpURI getHttpURI() {
                return address;
            }

            @Override
            public HttpFields getHeaders() {
                return headers;
            }
        };
        inside.setAttribute(ATTRIBUTE, path.own());
        return super.handle(inside, path.own().isEmpty() ? response : new Outside(inside, response), callback);
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
