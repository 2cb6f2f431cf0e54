package io.agentworkspace.engine.web.connections;

import io.agentworkspace.engine.web.connections.ConnectionTable.Limits;
import io.agentworkspace.engine.web.connections.ConnectionTable.Share;
import io.agentworkspace.engine.web.connections.ConnectionTable.Waiting;

/** An open connection in the {@link ConnectionTable}, which guards what changes here. */
final class OpenConnection {
    /** Memory for headers is taken for this many at once. */
    private static final int PORTION = 32;

    private final ConnectionTable table;
    private final String address;
    private final Share share;
    private volatile Runnable close;
    private volatile Runnable check = () -> {};
    private long memory;
    private boolean isOpen = true;
    private long tenant;
    private int headers;
    private int mostHeaders;
    private volatile long since = System.nanoTime();
    private volatile Waiting kind = Waiting.STRANGER;
    private volatile boolean isReading;
    private volatile boolean isReceived;

    OpenConnection(ConnectionTable table, String address, Share share, Runnable close) {
        this.table = table;
        this.address = address;
        this.share = share;
        this.close = close;
    }

    /** Records how to close the connection from now on. Closes it if it had to give way in the meantime. */
    void closedBy(Runnable other) {
        close = other;
        if (!table.isOpen(this)) {
            disconnect();
        }
    }

    /** Records that the first byte of a request arrived. */
    void began() {
        since = System.nanoTime();
        headers = 0;
        isReceived = false;
        isReading = true;
        table.begin(this);
    }

    /** Records that a header arrived. */
    void header() {
        headers++;
        mostHeaders = Math.max(mostHeaders, headers);
        if (headers == PORTION) {
            table.enqueueOpen(this, Waiting.MANY_HEADERS);
        }
        if (headers % PORTION == 0) {
            table.grow(this, PORTION * ConnectionTable.HEADER);
        }
    }

    /** Records that all headers arrived: from now on, the deadlines of the request apply. */
    void received() {
        isReading = false;
        isReceived = true;
        var isLarge = kind == Waiting.STRANGER && headers >= PORTION;
        table.enqueueOpen(this, isLarge ? Waiting.MANY_HEADERS : kind);
    }

    /**
     * Records that the request is served, so that the connection does not give way to others.
     *
     * @param tenant whose request it is
     * @return whether there is room for another request
     */
    boolean admit(long tenant) {
        return table.admit(this, tenant);
    }

    /** Records how to find out whether the client of the request that is being served has gone. */
    void served(Runnable checking) {
        check = checking;
    }

    /** Cancels the request that is being served if its client has gone. */
    void check() {
        ConnectionTable.quietly(check::run);
    }

    /** Records that the client has gone before the response. */
    void abandoned() {
        table.abandoned();
    }

    /** Returns the memory of the headers in bytes. */
    long headerMemory() {
        return ConnectionTable.HEADERS + (long) headers * ConnectionTable.HEADER;
    }

    /** Returns the memory in bytes that the connection keeps between two requests, besides what each connection needs. */
    long kept() {
        return (long) mostHeaders * ConnectionTable.PLACE;
    }

    /** Records that the response is complete. */
    void ended(boolean isCaller) {
        isReading = false;
        isReceived = false;
        since = System.nanoTime();
        kind = isCaller ? Waiting.CALLER : Waiting.STRANGER;
        table.await(this, kind);
    }

    /** Records that the connection is closed. */
    void closed() {
        table.remove(this);
    }

    /** Closes the connection, which the table has removed. */
    void disconnect() {
        ConnectionTable.quietly(close::run);
    }

    boolean isLate(long now, Limits limits) {
        var most = isReading ? limits.headerTime() : limits.idle();
        return !isReceived && now - since > most.toNanos();
    }

    String address() {
        return address;
    }

    Share share() {
        return share;
    }

    boolean isOpen() {
        return isOpen;
    }

    /** Returns whose request is served. */
    long tenant() {
        return tenant;
    }

    void setTenant(long whose) {
        tenant = whose;
    }

    void setClosed() {
        isOpen = false;
    }

    long memory() {
        return memory;
    }

    void add(long bytes) {
        memory += bytes;
    }
}
