import sys,random,time,json,numpy as np,torch,torch.nn.functional as F,collections,re,os
sys.path.insert(0,'/work/shared/data/embedder/minilm-tuned/recipe'); os.chdir('/tmp/ft')
from bert import *
torch.set_num_threads(int(os.environ.get('TH','2'))); torch.set_flush_denormal(True); torch.manual_seed(1); r=random.Random(1)
keep=[int(x) for x in sys.argv[1].split(',')]; EP=float(sys.argv[2]); OUT=sys.argv[3]; LR=float(sys.argv[4]) if len(sys.argv)>4 else 1.2e-4
tr=[l.rstrip('\n').split('\t')[:2] for l in open('/tmp/ft/all.tsv')]
cls=sorted({a for a,b in tr}); ci={c:i for i,c in enumerate(cls)}; json.dump(cls,open(OUT+'.cls.json','w')); json.dump(collections.Counter(a for a,b in tr),open(OUT+'.cnt.json','w'))
m=from_hf('minilm',keep); m.we.weight.requires_grad_(False)
head=torch.nn.Linear(384,len(cls)); torch.nn.init.zeros_(head.weight); torch.nn.init.zeros_(head.bias); SC=12.0
X=[re.sub(r'https?://\S+','url',b) for a,b in tr]; Y=torch.tensor([ci[a] for a,b in tr])
P=[p for p in m.parameters() if p.requires_grad]
opt=torch.optim.AdamW([dict(params=[p for p in P if p.ndim>1],weight_decay=.01,lr=LR),dict(params=[p for p in P if p.ndim<=1],weight_decay=0,lr=LR),dict(params=head.parameters(),weight_decay=0,lr=4e-3)],betas=(.9,.98))
BS=64; per=len(X)//BS; steps=int(per*EP); w=steps//12
sch=torch.optim.lr_scheduler.LambdaLR(opt,lambda s: min((s+1)/w,max(.02,(steps-s)/(steps-w))))
EV=json.load(open('eval.json')); ET=[re.sub(r'https?://\S+','url',e['text']) for e in EV]
heard=set(json.load(open('heard.json')))
def dump():
    m.eval(); e=embed(m,ET,96,64,True); np.save(OUT+'.emb.npy',e); z=(torch.tensor(e)@head.weight.T*SC+head.bias).detach().numpy(); np.save(OUT+'.npy',z.astype(np.float32)); m.train()
    torch.save(dict(cfg=m.cfg,sd=m.state_dict(),head=head.state_dict(),cls=cls,sc=SC),OUT+'.pt')
t0=time.time(); m.train(); run=None; s=0
def aug(t):
    if r.random()<.15: t=t[0].lower()+t[1:]
    if r.random()<.15: t=t.rstrip('.')
    return t
while s<steps:
    idx=r.sample(range(len(X)),len(X)); idx=[idx[i:i+BS*16] for i in range(0,len(idx),BS*16)]
    for chunk in idx:
        chunk.sort(key=lambda i:len(X[i])); bs=[chunk[i:i+BS] for i in range(0,len(chunk),BS)]; r.shuffle(bs)
        for b in bs:
            if s>=steps: break
            with torch.autocast('cpu',torch.bfloat16): e=m(*batch([aug(X[i]) for i in b],64),.1)
            z=e.float()@head.weight.T*SC+head.bias; loss=F.cross_entropy(z,Y[b],label_smoothing=.03)
            opt.zero_grad(); loss.backward(); torch.nn.utils.clip_grad_norm_(P,1.0); opt.step(); sch.step(); s+=1
            run=loss.item() if run is None else .98*run+.02*loss.item()
            if s%50==0: print(s,steps,f'{run:.3f} {time.time()-t0:.0f}s',flush=True)
            if s%per==0: dump(); print('dumped',flush=True)
dump(); print('done',time.time()-t0)
