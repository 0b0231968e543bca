#!/bin/sh
# A walk through the API with nothing but curl. Start `assent demo`, then:
#
#   KEYS=~/.local/share/assent-demo/demo-keys.json sh examples/curl.sh
#
# BASE is where the server is; KEY and APPROVER_KEY can be given instead of the file.
set -eu

BASE=${BASE:-http://127.0.0.1:8000}

# field NAME: the first value of that name in the JSON on stdin.
field() { grep -o "\"$1\": *\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

KEY=${KEY:-$(field user <"$KEYS")}
APPROVER_KEY=${APPROVER_KEY:-$(field approver <"$KEYS")}

# api PATH [JSON]: GET, or POST with a body. A refusal is a JSON problem too, so no --fail.
api() {
    path=$1
    shift
    curl -sS "$BASE$path" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
        ${1:+--data "$1"}
}

# rested TURN: waits until nothing happens any more unless somebody acts.
rested() {
    until api "/api/turns/$1" | grep -q '"resting":true'; do sleep 0.2; done
}

step() { printf '\n== %s\n' "$1"; }

step 'Who am I?'
api /api/me
echo

step 'Say something in a new conversation'
conversation=$(api /api/conversations '{"agent":"demo"}' | field id)
turn=$(api "/api/conversations/$conversation/messages" \
    '{"text":"Perform a dangerous operation on test.txt"}' | field id)
rested "$turn"
echo "$conversation"

step 'What waits for me?'
request=$(api "/api/requests?conversation=$conversation" | field id)
shown=$(api "/api/requests/$request")
echo "$shown"

step 'Approve exactly what was shown: the digest says what that was'
digest=$(echo "$shown" | field digest)
api "/api/requests/$request/decide" "{\"verdict\":\"approve\",\"digest\":\"$digest\"}"
echo

step 'Approve it again, as an impatient client does: nothing runs twice'
api "/api/requests/$request/decide" "{\"verdict\":\"approve\",\"digest\":\"$digest\"}"
echo

step 'Reject it after all: too late, and the state that won comes back'
api "/api/requests/$request/decide" '{"verdict":"reject"}'
echo

step 'The answer'
rested "$turn"
printf '%b\n' "$(api "/api/turns/$turn" | field text)"

step 'A command: not for me to decide, but for an approver'
turn=$(api "/api/conversations/$conversation/messages" '{"text":"run ls"}' | field id)
rested "$turn"
request=$(api "/api/requests?conversation=$conversation" | field id)
digest=$(api "/api/requests/$request" | field digest)
api "/api/requests/$request/decide" "{\"verdict\":\"approve\",\"digest\":\"$digest\"}"
echo

step 'The approver rejects it, and says why'
user_key=$KEY KEY=$APPROVER_KEY
api "/api/requests/$request/decide" '{"verdict":"reject","reason":"Not today."}'
echo
KEY=$user_key
rested "$turn"
printf '%b\n' "$(api "/api/turns/$turn" | field text)"

step 'The same as a stream, as the AI SDK reads it'
curl -sSN "$BASE/api/chat" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
    --data '{"id":"from-curl-'"$$"'","messages":[
        {"id":"1","role":"user","parts":[{"type":"text","text":"read notes.txt"}]}]}'
