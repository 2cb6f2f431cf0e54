// Preloaded into servers of others: they listen only on loopback. For the port 3000 they take LISTEN or any free one, and write their
// address to the file ADDRESS. They can reach nothing but loopback.
import dns from 'node:dns'
import { renameSync, writeFileSync } from 'node:fs'
import net from 'node:net'

const { LISTEN, ADDRESS } = process.env

// What they start does not listen.
delete process.env.ADDRESS

const listen = net.Server.prototype.listen
net.Server.prototype.listen = function (...args) {
  const isPath = args[0]?.path !== undefined || (typeof args[0] === 'string' && Number.isNaN(Number(args[0])))
  if (isPath || !ADDRESS) return listen.apply(this, args)
  const isEndpoint = Number(args[0]?.port ?? args[0]) === 3000
  if (isEndpoint) this.once('listening', () => {
    const { address, port } = this.address()
    writeFileSync(`${ADDRESS}.new`, `${address}:${port}`)
    renameSync(`${ADDRESS}.new`, ADDRESS)
  })
  return listen.call(this, { host: '127.0.0.1', port: Number((isEndpoint && LISTEN) || 0) }, args.findLast(each => typeof each === 'function'))
}

const isLoopback = name => ['localhost', '127.0.0.1', '::1'].includes(name)
const lookup = dns.lookup
dns.lookup = (name, options, callback) => isLoopback(name)
  ? lookup(name, options, callback)
  : (callback ?? options)(Object.assign(new Error(`no way to ${name}`), { code: 'ENOTFOUND' }))
