/**
 * Who may do what: {@code AccessCheck}, which the {@code …Access} class of each feature uses, and
 * {@code Visibility}, the SQL conditions for who sees an agent, a domain or a bank.
 */
@NullMarked
package io.agentworkspace.engine.kernel.access;

import org.jspecify.annotations.NullMarked;
