package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * Refuses requests that name a host other than this server's. A page whose name was rebound to our address would send
 * its own name. IP addresses cannot be rebound, so they are allowed.
 */
final class HostRule {
    private static final Pattern IPV4 = Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}");
    private static final Pattern IPV6 = Pattern.compile("\\[[0-9a-f:.]{2,45}]");
    private static final Pattern PORT = Pattern.compile(":\\d{0,5}$");

    private final Set<String> allowed;

    HostRule(Set<String> allowed) {
        this.allowed = allowed;
    }

    /** @throws Problem {@code not_permitted} */
    void check(Request request) {
        for (var host : request.getHeaders().getValuesList(HttpHeader.HOST)) {
            check(host);
        }
        // A request line in absolute form overrides the header (RFC 9112, 3.2.2), so it is checked too.
        var authority = request.getHttpURI().getAuthority();
        if (authority != null) {
            check(authority);
        }
    }

    private void check(String authority) {
        if (!isOurs(withoutPort(authority))) {
            throw Problem.notPermitted(
                            "this server does not answer to the host in this request; use its own address, or add the name to"
                                    + " ENGINE_ALLOWED_HOSTS")
                    .because(Cause.HOST);
        }
    }

    /** Returns the host in lower case, and without the dot that ends an absolute name. */
    static String withoutPort(String authority) {
        var host = PORT.matcher(authority.strip().toLowerCase(Locale.ROOT)).replaceFirst("");
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }

    private boolean isOurs(String host) {
        return host.equals("localhost")
                || allowed.contains(host)
                || IPV4.matcher(host).matches()
                || IPV6.matcher(host).matches();
    }
}
