package io.agentworkspace.engine.integrations.webhooks;

import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** A correct HTTPS receiver with a certificate of a {@link TestCa}. It responds with 200 to every request. */
public final class TlsReceiver implements AutoCloseable {
    private final Server server = new Server();
    private final ServerConnector connector;
    private final AtomicInteger requests = new AtomicInteger();
    private volatile String sni = "";

    public TlsReceiver(TestCa ca, String alias) throws Exception {
        var tls = new SslContextFactory.Server();
        tls.setKeyStore(ca.alone(alias));
        tls.setKeyStorePassword(TestCa.PASSWORD);
        tls.setSniRequired(false);
        var configuration = new HttpConfiguration();
        configuration.addCustomizer(new SecureRequestCustomizer(false));
        connector = new ServerConnector(
                server, new SslConnectionFactory(tls, "http/1.1"), new HttpConnectionFactory(configuration));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                requests.incrementAndGet();
                if (request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE) instanceof EndPoint.SslSessionData data
                        && data.sslSession() instanceof ExtendedSSLSession session) {
                    session.getRequestedServerNames().forEach(name -> sni = ((SNIHostName) name).getAsciiName());
                }
                callback.succeeded();
                return true;
            }
        });
        server.start();
    }

    public URI url(String host) {
        return URI.create("https://" + host + ":" + connector.getLocalPort() + "/hook");
    }

    /** Returns the host name that the last client sent in the TLS handshake; empty for none. */
    public String sni() {
        return sni;
    }

    public int requests() {
        return requests.get();
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
