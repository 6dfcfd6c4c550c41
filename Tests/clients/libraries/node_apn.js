// Node's http2 in the way in which node-apn uses it, as a program: a push on each line of standard input, a result on
// each line of standard output. What it does as node-apn does: one session for all pushes, made anew by the next push
// when it has closed; `request.write` and then `request.end`, which is an empty DATA frame; no field for priority 10;
// 408, 429 and 5xx are tried again up to three times without a wait, an expired provider token twice with a new one; a
// request that has no answer for `timeout` fails; a PING every `heartBeat`.
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const http2 = require('http2');
const readline = require('readline');

const options = JSON.parse(process.argv[2]);
const key = fs.readFileSync(options.key);
const RETRIES = 3;

function base64url(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function makeToken() {
  const head = base64url({ alg: 'ES256', typ: 'JWT', kid: options.keyId });
  const claims = base64url({ iss: options.teamId, iat: Math.floor(Date.now() / 1000 + options.clock) });
  const signature = crypto.sign('sha256', Buffer.from(`${head}.${claims}`), { key, dsaEncoding: 'ieee-p1363' });
  return `${head}.${claims}.${signature.toString('base64url')}`;
}

let token = makeToken();
let session = null;

function currentSession() {
  if (session && !session.destroyed && !session.closed) {
    return session;
  }
  const made = http2.connect(`https://${options.address}`, {
    port: options.port, servername: options.address, ca: fs.readFileSync(options.ca),
  });
  const leave = () => {
    if (session === made) {
      session = null;
    }
    if (!made.destroyed && !made.closed) {
      made.close();
    }
  };
  made.on('goaway', leave);
  made.on('error', leave);
  made.on('close', leave);
  session = made;
  return made;
}

setInterval(() => {
  if (session && !session.destroyed && !session.closed) {
    session.ping(() => {});
  }
}, options.heartBeat).unref();

function send(push) {
  return new Promise((resolve) => {
    let request;
    try {
      request = currentSession().request({
        ':scheme': 'https', ':method': 'POST', ':authority': options.address, ':path': `/3/device/${push.token}`,
        ...push.headers, authorization: `bearer ${token}`,
      });
    } catch (error) {
      resolve({ error: String(error) });
      return;
    }
    let status = null;
    let id = null;
    let body = '';
    request.setTimeout(options.timeout, () => {
      resolve({ error: 'timeout' });
      request.close(http2.constants.NGHTTP2_CANCEL);
    });
    request.setEncoding('utf8');
    request.on('response', (headers) => {
      status = headers[':status'];
      id = headers['apns-id'];
    });
    request.on('data', (data) => { body += data; });
    request.on('end', () => {
      if (status === null) {
        resolve({ error: 'the stream ended unexpectedly' });
      } else {
        resolve({ status, id, response: body === '' ? null : JSON.parse(body) });
      }
    });
    request.on('error', (error) => resolve({ error: String(error) }));
    // A stream that is refused or whose session goes ends without any of the above.
    request.on('close', () => resolve({ error: `the stream closed with ${request.rstCode}` }));
    request.write(push.body);
    request.end();
  });
}

async function deliver(push) {
  let result;
  for (let attempt = 0; ; attempt += 1) {
    result = await send(push);
    if (attempt < 2 && result.status === 403 && result.response.reason === 'ExpiredProviderToken') {
      token = makeToken();
    } else if (attempt >= RETRIES || ![408, 429, 500, 502, 503, 504].includes(result.status)) {
      return { number: push.number, attempts: attempt + 1, ...result };
    }
  }
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  deliver(JSON.parse(line)).then((result) => process.stdout.write(`${JSON.stringify(result)}\n`));
}).on('close', () => process.exit(0));
