package io.agentworkspace.engine.kernel.outbound;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.client.HttpResponseException;

/**
 * The reason why no response came, and the stage that failed. The message is for the endpoint's owner:
 * stable words without internals.
 */
public final class OutboundFailure extends Exception {
    private static final int DEEPEST = 12;
    private static final String HANDSHAKE = "the handshake failed";

    private final transient Stage stage;

    /** The stage that failed. All stages before it succeeded. */
    public enum Stage {
        RESOLVE,
        CONNECT,
        TLS,
        ANSWER,
        /** The answer came, and is larger than was allowed. */
        SIZE
    }

    OutboundFailure(Stage stage, String message) {
        super(message, null, false, false);
        this.stage = stage;
    }

    public Stage stage() {
        return stage;
    }

    public String words() {
        return String.valueOf(getMessage());
    }

    /**
     * Describes a failure of the HTTP client.
     *
     * @param sent whether the request was sent, so that the connection and its TLS were established
     * @param seconds the time limit of the attempt
     */
    public static OutboundFailure of(Throwable failure, boolean sent, long seconds) {
        var causes = Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .limit(DEEPEST)
                .toList();
        if (any(causes, SSLException.class) || any(causes, CertificateException.class)) {
            return new OutboundFailure(Stage.TLS, "TLS: " + tls(causes));
        }
        if (any(causes, SocketTimeoutException.class)) {
            return new OutboundFailure(Stage.CONNECT, "no connection within 5 s");
        }
        if (any(causes, TimeoutException.class)) {
            return new OutboundFailure(sent ? Stage.ANSWER : Stage.CONNECT, "no answer within %d s".formatted(seconds));
        }
        if (any(causes, ConnectException.class)) {
            return new OutboundFailure(Stage.CONNECT, "connection refused");
        }
        if (!sent
                && causes.stream()
                        .anyMatch(OutboundFailure::isCut)) { // Without TLS, a connected request is sent at once.
            return new OutboundFailure(Stage.TLS, "TLS: " + HANDSHAKE);
        }
        if (!sent) {
            return new OutboundFailure(Stage.CONNECT, "the host cannot be reached");
        }
        if (any(causes, ProtocolException.class)) {
            return new OutboundFailure(
                    Stage.ANSWER,
                    "more than %d interim answers (1xx) before the answer".formatted(InterimResponses.MOST));
        }
        return any(causes, IOException.class) && !any(causes, HttpResponseException.class)
                ? new OutboundFailure(Stage.ANSWER, "the connection was closed before the answer")
                : new OutboundFailure(Stage.ANSWER, "the answer is not HTTP/1.1, is cut off, or has too large headers");
    }

    private static String tls(List<Throwable> causes) {
        if (any(causes, CertificateExpiredException.class)) {
            return "the certificate has expired";
        }
        if (any(causes, CertificateNotYetValidException.class)) {
            return "the certificate is not valid yet";
        }
        if (any(causes, CertPathBuilderException.class) || any(causes, CertPathValidatorException.class)) {
            return "the certificate is not trusted";
        }
        return any(causes, CertificateException.class) ? "the certificate is not for this host" : HANDSHAKE;
    }

    /** Whether a connection that was there ended. Of a handshake that fails, Jetty may report only this. */
    private static boolean isCut(Throwable cause) {
        return cause instanceof ClosedChannelException
                || cause instanceof EOFException
                || cause instanceof SocketException && "Connection reset".equals(cause.getMessage());
    }

    private static boolean any(List<Throwable> causes, Class<?> type) {
        return causes.stream().anyMatch(type::isInstance);
    }
}
